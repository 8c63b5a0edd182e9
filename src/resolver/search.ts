import { tokenize } from '../core/tokenize.ts'
import type { CodeReader } from './code-reader.ts'
import { fuse, type RankedList } from './fusion.ts'
import { splitLines } from '../core/source-text.ts'
import { embedded, type EmbedQuery } from './select-sources.ts'
import { showLine } from './visible-text.ts'

/** A chunk that a search found, with the lines of it that match best. */
export interface SearchHit {
  repository: string
  path: string
  startLine: number
  endLine: number
  score: number
  reason: 'lexical' | 'similar'
  snippet: string
}

const DENSE_WEIGHT = 0.5 // a weak list at full weight hurts
const SNIPPET_LINES = 12
const MIN_CANDIDATES = 50

/** Full text and vectors joined by reciprocal ranks. Without vectors (the embedder is down) full text alone. */
export async function searchCode (query: string, limit: number, { reader, embedQuery }: { reader: Pick<CodeReader, 'searchText' | 'searchVectors'>, embedQuery: EmbedQuery }): Promise<SearchHit[]> {
  const k = Math.max(limit, MIN_CANDIDATES)
  const { vector } = await embedded(query, embedQuery)
  const lists: RankedList[] = [{ reason: 'lexical', weight: 1, hits: reader.searchText(query, k) }]
  if (vector !== null) lists.push({ reason: 'similar', weight: DENSE_WEIGHT, hits: reader.searchVectors(vector, k) })
  const terms = new Set(tokenize(query))
  return fuse(lists).slice(0, limit).map(({ chunk, score, reason }) => ({
    repository: chunk.repository,
    path: chunk.path,
    startLine: chunk.startLine,
    endLine: chunk.endLine,
    score: Math.round(score * 1000) / 1000,
    reason,
    snippet: snippetOf(splitLines(chunk.text), terms),
  }))
}

/** At most twelve lines around the one that shares most terms with the query, with controls shown. */
function snippetOf (lines: readonly string[], terms: ReadonlySet<string>): string {
  let best = 0
  let most = 0
  for (const [index, line] of lines.entries()) {
    const shared = new Set(tokenize(line).filter(term => terms.has(term))).size
    if (shared > most) [best, most] = [index, shared]
  }
  const from = Math.max(0, Math.min(best - SNIPPET_LINES / 2, lines.length - SNIPPET_LINES))
  return lines.slice(from, from + SNIPPET_LINES).map(line => showLine(line.slice(0, 500))).join('\n')
}
