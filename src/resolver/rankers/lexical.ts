import type { ChunkHit, CodeReader } from '../code-reader.ts'
import { hasWord } from '../definitions.ts'
import type { FramePlace, TraceQuery } from '../trace-query.ts'
import { filesOfChunks, type Evidence } from './evidence-list.ts'
import { countTerms, termQuery, type TermQuery } from './term-query.ts'

export interface LexicalLists {
  /** Chunks by all words of the text. */
  text: Evidence[]
  /** Whole files by all words of the text. */
  textFiles: Evidence[]
  /** Chunks by the messages alone. */
  message: Evidence[]
  /** Chunks by the messages and the code around the nearest frames. */
  source: Evidence[]
  /** Chunks by the body of the failing function. */
  body: Evidence[]
}

type TermReader = Pick<CodeReader, 'searchTerms' | 'searchFileTerms' | 'documentFrequency'>

const MAX_FILES = 60
const MAX_HITS = 300
const SOURCE_PLACES = 4
const LINES_AROUND = 2
const QUOTED_WEIGHT = 2
const MAX_BODY_LINES = 120
const LINES_WITHOUT_SCOPE = 20
const MAX_LINE_CHARS = 300

/** BM25 with five queries. Each is bounded in its terms, so a long trace costs what a short one does. */
export function rankByWords (query: TraceQuery, reader: TermReader): LexicalLists {
  const text = termQuery(countTerms(query.text), reader)
  const messageTerms = countTerms(query.message)
  for (const quoted of query.quoted) countTerms(quoted, QUOTED_WEIGHT, messageTerms)
  const message = termQuery(messageTerms, reader)
  const source = termQuery(countTerms(query.places.slice(0, SOURCE_PLACES).map(sourceAround).join('\n'), 1, new Map(messageTerms)), reader)
  const body = query.places[0] === undefined ? null : termQuery(countTerms(bodyOf(query.places[0])), reader)
  return {
    text: chunks(text, 'shares words with the text', query, reader),
    textFiles: reader.searchFileTerms(text, MAX_FILES).map(({ repository, path, score }) => ({ repository, path, score, why: 'shares words with the text', lines: [] })),
    message: chunks(message, 'shares words with the message', query, reader),
    source: query.places.length === 0 ? [] : chunks(source, 'shares words with the failing code and its message', query, reader),
    body: body === null ? [] : chunks(body, 'shares words with the failing function', query, reader),
  }
}

function chunks (terms: TermQuery, why: string, _query: TraceQuery, reader: TermReader): Evidence[] {
  return filesOfChunks(reader.searchTerms(terms, MAX_HITS), (_hit: ChunkHit) => why, MAX_FILES)
}

const shortened = (lines: readonly string[]): string => lines.map(line => line.slice(0, MAX_LINE_CHARS)).join('\n')

export function sourceAround ({ line, lines }: FramePlace): string {
  return line === null ? '' : shortened(lines.slice(Math.max(0, line - 1 - LINES_AROUND), line + LINES_AROUND))
}

/** The function around a place; without an outline the lines around it. */
export function bodyOf (place: FramePlace): string {
  return shortened(bodyLines(place).lines)
}

export function bodyLines ({ scope, line, lines }: FramePlace): { first: number, lines: readonly string[] } {
  if (scope !== null && scope.kind === 'function') return { first: scope.startLine, lines: lines.slice(scope.startLine - 1, Math.min(scope.endLine, scope.startLine + MAX_BODY_LINES)) }
  const first = Math.max(1, (line ?? 1) - LINES_WITHOUT_SCOPE)
  return { first, lines: line === null ? [] : lines.slice(first - 1, line + LINES_WITHOUT_SCOPE) }
}

export { hasWord }
