import type { FramePlace, TraceQuery } from '../trace-query.ts'
import { fileKey, filesOfChunks, type RankerHit } from './hits.ts'
import { countTerms, termQuery, type TermQuery, type TermReader } from './term-query.ts'

/** What a search by words finds, by five queries. */
export interface LexicalLists {
  /** Whole files by all words of the text. */
  textFiles: RankerHit[]
  /** Chunks by the messages alone. */
  message: RankerHit[]
  /** Chunks by the messages and the code around the nearest frames. */
  source: RankerHit[]
  /** Chunks of other files than the trace's by messages, functions and failing code, rare words above all. */
  elsewhere: RankerHit[]
  /** Other files than the trace's, whole, by the text, its messages and failing code, rare words above all. */
  rareWords: RankerHit[]
}

const MAX_FILES = 50
const MAX_HITS = 150
const MAX_FILE_HITS = 80
const SOURCE_PLACES = 4
const LINES_AROUND = 2
const WIDE_PLACES = 3
const WIDE_LINES_AROUND = 5
const QUOTED_WEIGHT = 2
const RARE_TERMS = 80
const MAX_LINE_CHARS = 300

function added(terms: ReadonlyMap<string, number>, into: Map<string, number>): Map<string, number> {
  for (const [term, count] of terms) into.set(term, (into.get(term) ?? 0) + count)
  return into
}

const share = (score: number, { attainable }: TermQuery): number => (attainable === 0 ? 0 : score / attainable)

function wholeFiles(query: TermQuery, why: string, reader: TermReader, isWanted: IsWanted = () => true): RankerHit[] {
  return reader
    .searchFileTerms(query.terms, MAX_FILE_HITS)
    .filter(isWanted)
    .slice(0, MAX_FILES)
    .map(({ repository, path, score }) => ({ repository, path, score: share(score, query), why, lines: [] }))
}

function chunks(query: TermQuery, why: string, reader: TermReader, isWanted: IsWanted = () => true): RankerHit[] {
  const hits = reader.searchTerms(query.terms, MAX_HITS).filter(isWanted)
  return filesOfChunks(hits, () => why, MAX_FILES).map(file => ({ ...file, score: share(file.score, query) }))
}

const shortened = (lines: readonly string[]): string => lines.map(line => line.slice(0, MAX_LINE_CHARS)).join('\n')

/** The line of a place with this many lines before and after it, long ones cut; empty where no line is known. */
export function sourceAround({ line, lines }: FramePlace, around: number): string {
  return line === null ? '' : shortened(lines.slice(Math.max(0, line - 1 - around), line + around))
}

/**
 * Runs five BM25 queries; a file's score is the share of the query that it matches. Each query is bounded in its terms,
 * so a long trace costs what a short one does.
 */
export function rankByWords(query: TraceQuery, reader: TermReader): LexicalLists {
  const textTerms = countTerms(query.text)
  const text = termQuery(textTerms, reader)
  const messageTerms = countTerms(query.message)
  for (const quoted of query.quoted) countTerms(quoted, QUOTED_WEIGHT, messageTerms)
  const source = countTerms(
    query.places
      .slice(0, SOURCE_PLACES)
      .map(place => sourceAround(place, LINES_AROUND))
      .join('\n'),
    1,
    new Map(messageTerms),
  )
  const wide = countTerms(
    query.places
      .slice(0, WIDE_PLACES)
      .map(place => sourceAround(place, WIDE_LINES_AROUND))
      .join('\n'),
  )
  const all = added(wide, added(countTerms(query.message), new Map(textTerms)))
  countTerms(query.functions.join(' '), 1, countTerms(query.message, 2, wide))
  const named = new Set(query.named.map(fileKey))
  const isOther = (file: { repository: string; path: string }): boolean => !named.has(fileKey(file))
  return {
    textFiles: wholeFiles(text, 'shares words with the text', reader),
    message: chunks(termQuery(messageTerms, reader), 'shares words with the message', reader),
    source:
      query.places.length === 0
        ? []
        : chunks(termQuery(source, reader), 'shares words with the failing code and its message', reader),
    elsewhere: chunks(
      termQuery(wide, reader, { rarity: 1 }),
      'shares rare words with the failing code and its message',
      reader,
      isOther,
    ),
    rareWords: wholeFiles(
      termQuery(all, reader, { rarity: 1, most: RARE_TERMS }),
      'shares rare words with the text and the failing code',
      reader,
      isOther,
    ),
  }
}

type IsWanted = (file: { repository: string; path: string }) => boolean
