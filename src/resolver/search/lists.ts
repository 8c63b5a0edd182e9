import { baseName } from '../../core/path-names.ts'
import { subTokens } from '../../core/tokenize.ts'
import type { SearchHit } from '../../core/resolution.ts'
import type { CodeReader } from '../code/code-reader.ts'
import { fileIndexOf, stemOf } from '../code/file-index.ts'
import { SEARCH_WEIGHTS, type ListWeight } from '../ranking/learned-weights.ts'
import { nameTableOf, type NameTable } from '../ranking/name-table.ts'
import { rankByVectors } from '../ranking/rankers/dense.ts'
import { byScore, HitSum, fileKey, filesOfChunks, type RankerHit, type RankerHits } from '../ranking/rankers/hits.ts'
import { termQuery } from '../ranking/rankers/term-query.ts'
import { isFiller, type SearchQuery } from './query.ts'

/** The part of the index that a search reads. */
export type SearchReader = Pick<
  CodeReader,
  | 'files'
  | 'fileText'
  | 'chunksOf'
  | 'definitionsOf'
  | 'filesHolding'
  | 'searchTerms'
  | 'searchFileTerms'
  | 'searchVectors'
  | 'documentFrequency'
  | 'manifest'
>

/** One ranking of files, and how much it counts. */
export interface SearchList {
  reason: SearchHit['reason']
  weight: ListWeight
  files: RankerHits
}

/** The rankings that a search combines. */
type SearchListName =
  'chunks' | 'files' | 'similar' | 'definitions' | 'pathWords' | 'baseNames' | 'namesakes' | 'mentions'

const REASONS: Record<SearchListName, SearchHit['reason']> = {
  chunks: 'lexical',
  files: 'lexical',
  similar: 'similar',
  definitions: 'related',
  pathWords: 'lexical',
  baseNames: 'lexical',
  namesakes: 'lexical',
  mentions: 'lexical',
}

const MAX_FILES = 120
const MAX_CHUNKS = 400
const COMPOUND_WEIGHT = 1.5
/** How much a definition counts: its name is written as code, is made of consecutive words, or is one of the words. */
const DEFINED = { name: 1, compound: 0.5, word: 0.4 }
const MAX_NAMESAKES = 10
const MAX_MENTIONED = 5
/** A word in a larger share of the paths says nothing. */
const MAX_PATH_SHARE = 1 / 8

/** The hits with their scores as shares of the highest. */
function relative(list: readonly RankerHit[]): RankerHit[] {
  const top = list[0]?.score ?? 0
  return top === 0 ? [] : list.map(file => ({ ...file, score: file.score / top }))
}

/** The names that consecutive words make up, where the project has them. */
function spellings(
  parts: readonly string[],
  { documentFrequency }: SearchReader,
): { terms: string[]; names: string[] } {
  const [snake, joined] = [parts.join('_'), parts.join('')]
  const terms = [snake, joined].filter(term => documentFrequency(term) > 0)
  const title = parts.map(part => part.slice(0, 1).toUpperCase() + part.slice(1))
  const camel = [...parts.slice(0, 1), ...title.slice(1)].join('')
  const names = terms.flatMap(term => (term === snake ? [snake, `_${snake}`] : [joined, camel, title.join('')]))
  return { terms, names }
}

/** Where names of the query are defined; a name with many definitions counts less for each. */
function definitions(
  { names, words }: SearchQuery,
  compounds: readonly string[],
  { definitionsOf, documentFrequency }: SearchReader,
): RankerHit[] {
  const sum = new HitSum()
  const add = (asked: Iterable<string>, weight: number) => {
    for (const name of asked) {
      const files = documentFrequency(name.toLowerCase()) === 0 ? new Map() : Map.groupBy(definitionsOf(name), fileKey)
      for (const [first] of files.values()) {
        if (first !== undefined) {
          sum.add(first, weight / Math.sqrt(files.size), () => '', {
            startLine: first.startLine,
            endLine: first.startLine,
          })
        }
      }
    }
  }
  add(names, DEFINED.name)
  add(new Set(compounds), DEFINED.compound)
  add(words, DEFINED.word)
  return sum.take(MAX_FILES)
}

/** Files whose path contains rare words of the first line, and those whose base name the query names best. */
function byPath(
  { counts, subject, names }: SearchQuery,
  table: NameTable,
): Pick<Record<SearchListName, RankerHit[]>, 'pathWords' | 'baseNames'> {
  const gains = new Map<string, number>()
  const gainOf = (word: string): number => {
    const known = gains.get(word) ?? Math.log(1 + table.files.length / Math.max(1, table.withPathWord(word).length))
    gains.set(word, known)
    return known
  }
  const saidAsName = new Set([...names].map(name => name.toLowerCase()))
  const scores = new Map<number, { ofPath: number }>()
  for (const word of counts.keys()) {
    const files = table.withPathWord(word)
    if (
      files.length > table.files.length * MAX_PATH_SHARE + MAX_NAMESAKES ||
      (isFiller(word) && !saidAsName.has(word))
    ) {
      continue
    }
    for (const id of files) {
      const known = scores.get(id) ?? { ofPath: 0 }
      scores.set(id, known)
      if (subject.has(word)) known.ofPath += gainOf(word)
    }
  }
  const pathWords = new HitSum()
  const baseNames = new HitSum()
  for (const [id, { ofPath }] of scores) {
    const file = table.files[id]
    if (file === undefined) continue
    if (ofPath > 0) pathWords.add(file, ofPath, () => '')
    const words = subTokens(stemOf(baseName(file.path)))
    const said = words.filter(word => counts.has(word))
    const gainOfAll = (some: readonly string[]) => some.reduce((sum, word) => sum + gainOf(word), 0)
    if (said.length > 0) baseNames.add(file, gainOfAll(said) / gainOfAll(words), () => '')
  }
  return { pathWords: relative(pathWords.take(MAX_FILES)), baseNames: baseNames.take(MAX_FILES) }
}

/** Files that a word is the name of, ignoring extensions and case. */
function namesakes({ text }: SearchQuery, table: NameTable): RankerHit[] {
  const best = new Map<string, RankerHit>()
  for (const word of new Set(text.match(/[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_$]+)*/gu))) {
    const files = table.stemmed(word)
    if (files.length > MAX_NAMESAKES) continue
    for (const { repository, path } of files) {
      const key = fileKey({ repository, path })
      if ((best.get(key)?.score ?? 0) < 1 / files.length) {
        best.set(key, { repository, path, score: 1 / files.length, why: '', lines: [] })
      }
    }
  }
  return [...best.values()].sort(byScore).slice(0, MAX_FILES)
}

/** Files whose path ends like a path of the query; endings shared by many paths do not count. */
function mentions(query: SearchQuery, reader: SearchReader): RankerHit[] {
  const sum = new HitSum()
  for (const { path, line } of query.mentions) {
    const ending = `/${path.toLowerCase()}`
    const files = fileIndexOf(reader.files())
      .named(baseName(path))
      .filter(({ file }) => `/${file.path.toLowerCase()}`.endsWith(ending))
    const meant =
      files.length > MAX_MENTIONED
        ? files.filter(({ segments }) => segments.length === files[0]?.segments.length)
        : files
    if (meant.length > MAX_MENTIONED) continue
    const beginning = query.isPath ? 1 : null
    const from = line ?? beginning
    const lines = from === null ? undefined : { startLine: from, endLine: from }
    for (const { file } of meant) sum.add(file, 1 / meant.length, () => '', lines)
  }
  return sum.take(MAX_FILES)
}

function listsOf(
  query: SearchQuery,
  vector: Float32Array | null,
  reader: SearchReader,
): Record<SearchListName, RankerHits> {
  const spelled = query.compounds.map(parts => spellings(parts, reader))
  const counts = new Map(query.counts)
  for (const term of spelled.flatMap(({ terms }) => terms)) {
    counts.set(term, Math.max(COMPOUND_WEIGHT, counts.get(term) ?? 0))
  }
  const { terms } = termQuery(counts, reader)
  const table = nameTableOf(reader.files())
  const chunks = terms.size === 0 ? [] : reader.searchTerms(terms, MAX_CHUNKS)
  return {
    chunks: relative(filesOfChunks(chunks, () => '', MAX_FILES)),
    files:
      terms.size === 0
        ? []
        : relative(reader.searchFileTerms(terms, MAX_FILES).map(file => ({ ...file, why: '', lines: [] }))),
    similar: vector === null ? [] : relative(rankByVectors(vector, reader)),
    definitions: relative(
      definitions(
        query,
        spelled.flatMap(({ names }) => names),
        reader,
      ),
    ),
    ...byPath(query, table),
    namesakes: namesakes(query, table),
    mentions: mentions(query, reader),
  }
}

/**
 * The rankings of files for a query.
 *
 * @param vector - The query's embedding; null when there is none.
 */
export function searchLists(query: SearchQuery, vector: Float32Array | null, reader: SearchReader): SearchList[] {
  const lists = listsOf(query, vector, reader)
  const { mentionsAlone, ...usual } = SEARCH_WEIGHTS
  const weights: Record<SearchListName, ListWeight> = query.isPath ? { ...usual, mentions: mentionsAlone } : usual
  return Object.entries(REASONS)
    .map(([name, reason]) => ({
      reason,
      weight: weights[name as SearchListName],
      files: lists[name as SearchListName],
    }))
    .filter(({ files }) => files.length > 0)
}
