import type { SearchHit } from '../core/resolution.ts'
import { tokenize } from '../core/tokenize.ts'
import type { ChunkHit, CodeReader } from './code-reader.ts'
import { fuseChunks, type ChunkList } from './fuse-chunks.ts'
import { splitLines } from '../core/source-text.ts'
import { embedded, type EmbedQuery } from './rankers/dense.ts'
import { fileKey } from './rankers/evidence-list.ts'
import { countTerms, termQuery } from './rankers/term-query.ts'
import { showLine } from './visible-text.ts'

type SearchReader = Pick<CodeReader, 'chunksOf' | 'searchTerms' | 'searchFileTerms' | 'searchVectors' | 'documentFrequency' | 'manifest'>

const DENSE_WEIGHT = 0.5 // a weak list at full weight hurts
const FILE_WEIGHT = 0.5
const SNIPPET_LINES = 12
const MIN_CANDIDATES = 100

/** Words in chunks, words in whole files, and vectors, joined by reciprocal ranks. Without vectors (the embedder is down) words alone. */
export async function searchCode (query: string, limit: number, { reader, embedQuery }: { reader: SearchReader, embedQuery: EmbedQuery }): Promise<SearchHit[]> {
  const k = Math.max(limit * 2, MIN_CANDIDATES)
  const { vector } = await embedded(query, embedQuery)
  const { terms } = termQuery(countTerms(query), reader)
  const chunks = reader.searchTerms(terms, k)
  const lists: ChunkList[] = [{ reason: 'lexical', weight: 1, hits: chunks }, { reason: 'lexical', weight: FILE_WEIGHT, hits: inOrderOfFiles(chunks, reader.searchFileTerms(terms, k)) }]
  if (vector !== null) lists.push({ reason: 'similar', weight: DENSE_WEIGHT, hits: reader.searchVectors(vector, k) })
  const words = new Set(tokenize(query))
  return fuseChunks(lists).slice(0, limit).map(({ hit, score, reason }) => ({
    repository: hit.repository,
    path: hit.path,
    startLine: hit.startLine,
    endLine: hit.endLine,
    score: Math.round(score * 1000) / 1000,
    reason,
    ...snippetOf(hit, words, reader),
  }))
}

/** The best chunk of each file, in the order of the files. */
function inOrderOfFiles (chunks: readonly ChunkHit[], files: ReadonlyArray<{ repository: string, path: string }>): ChunkHit[] {
  const best = new Map<string, ChunkHit>()
  for (const hit of chunks) if (!best.has(fileKey(hit))) best.set(fileKey(hit), hit)
  return files.flatMap(file => best.get(fileKey(file)) ?? [])
}

/** At most twelve lines around the one that shares most terms with the query, with controls shown. */
function snippetOf ({ repository, path, chunkIndex, startLine }: ChunkHit, words: ReadonlySet<string>, reader: SearchReader): Pick<SearchHit, 'snippet' | 'snippetLine' | 'highlightedLines'> {
  const lines = splitLines(reader.chunksOf(repository, path)[chunkIndex]?.text ?? '').map(line => line.slice(0, 500))
  const shared = lines.map(line => new Set(tokenize(line).filter(term => words.has(term))).size)
  const best = shared.indexOf(Math.max(...shared, 0))
  const from = Math.max(0, Math.min(best - SNIPPET_LINES / 2, lines.length - SNIPPET_LINES))
  const shown = lines.slice(from, from + SNIPPET_LINES)
  return {
    snippet: shown.map(showLine).join('\n'),
    snippetLine: startLine + from,
    highlightedLines: shown.flatMap((_, i) => (shared[from + i] ?? 0) > 0 ? [startLine + from + i] : []),
  }
}
