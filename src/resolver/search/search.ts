import type { Chunk } from '../../core/chunk.ts'
import type { SearchAnswer, SearchHit } from '../../core/resolution.ts'
import { SEARCH_TEST_PRIOR } from '../ranking/learned-weights.ts'
import { embedded, type EmbedQuery } from '../ranking/rankers/dense.ts'
import type { Lines } from '../ranking/rankers/hits.ts'
import { fuseFiles, type FoundFile } from './fuse.ts'
import { searchLists, type SearchReader } from './lists.ts'
import { findLiterals } from './literals.ts'
import { readQuery, type SearchQuery } from './query.ts'
import { snippetOf, wordWeights, wordsIn, type WordWeights } from './snippet.ts'

/** How many hits a search returns, and how it treats tests. */
interface SearchOptions {
  /** The most hits wanted. */
  limit: number
  /** Whether tests rank a little lower when the query does not name them; default true. */
  demotesTests?: boolean
}

const BY_WORDS = 'Searched by words only: the embedding service did not answer.'
/** Further places in a file count half as much as its first. */
const FURTHER = 0.5
/** In a file without a known place, this many chunks are searched for the query's words. */
const MAX_LOOKED_THROUGH = 60

interface Place {
  chunk: Chunk
  score: number
  reason: SearchHit['reason']
  exact?: readonly Lines[]
  pointed?: readonly Lines[]
}

/** The chunk with exactly these lines, or else the first one that contains their beginning; chunks may overlap. */
function chunkAt(lines: Lines, chunks: readonly Chunk[]): Chunk | undefined {
  return (
    chunks.find(({ startLine, endLine }) => startLine === lines.startLine && endLine === lines.endLine) ??
    chunks.find(({ startLine, endLine }) => startLine <= lines.startLine && lines.startLine <= endLine)
  )
}

function mostSaid(chunks: readonly Chunk[], weights: WordWeights): Chunk | null {
  const said = chunks.slice(0, MAX_LOOKED_THROUGH).map(chunk => ({ chunk, words: wordsIn(chunk.text, weights) }))
  return (
    said.reduce<(typeof said)[number] | null>(
      (best, one) => (best === null || one.words > best.words ? one : best),
      null,
    )?.chunk ?? null
  )
}

/** The chunks of a file that lists point to, best first with the file's score. */
function placesOf(file: FoundFile, weights: WordWeights, reader: SearchReader): Place[] {
  const chunks = reader.chunksOf(file.repository, file.path)
  const gains = new Map<Chunk, { gain: number; pointed: Lines[] }>()
  for (const { lines, gain } of file.places) {
    const chunk = chunkAt(lines, chunks)
    if (chunk === undefined) continue
    const known = gains.get(chunk) ?? { gain: 0, pointed: [] }
    gains.set(chunk, known)
    known.gain += gain
    if (lines.startLine === lines.endLine) known.pointed.push(lines)
  }
  const best = [...gains].sort(
    ([a, { gain: gainA }], [b, { gain: gainB }]) => gainB - gainA || a.startLine - b.startLine,
  )
  const top = best[0]?.[1].gain
  if (top !== undefined) {
    return best.map(([chunk, { gain, pointed }], i) => ({
      chunk,
      score: file.score * (i === 0 ? 1 : (FURTHER * gain) / top),
      reason: file.reason,
      pointed,
    }))
  }
  const chunk = mostSaid(chunks, weights)
  return chunk === null ? [] : [{ chunk, score: file.score, reason: file.reason }]
}

function literalPlaces(
  { literals }: SearchQuery,
  { ranked, limit }: { ranked: readonly FoundFile[]; limit: number },
  reader: SearchReader,
): { places: Place[]; complete: boolean } {
  const { matches, complete } = findLiterals(literals, { ranked, files: limit }, reader)
  const seen = new Set<string>()
  const places = matches.map(({ file: { repository, path }, ranked, chunk, lines }): Place => {
    const key = `${repository}\n${path}`
    const isFirst = !seen.has(key)
    seen.add(key)
    return { chunk, score: (ranked?.score ?? 0) * (isFirst ? 1 : FURTHER), reason: 'lexical', exact: lines }
  })
  return { places, complete }
}

/**
 * Finds the code that a text asks for: by its words in chunks and whole files, by vectors, by definitions of its names
 * and by paths, combined for each file. When the embedder is down, words alone decide and a notice says so. A hit
 * contains what stands in double quotes literally. About 4 ms with 20,000 chunks (bench/eval/search.bench.ts).
 */
export async function searchCode(
  asked: string,
  { limit, demotesTests = true }: SearchOptions,
  { reader, embedQuery }: { reader: SearchReader; embedQuery: EmbedQuery },
): Promise<SearchAnswer> {
  const query = readQuery(asked)
  const { vector, failed } = await embedded(query.text, embedQuery)
  const ranked = fuseFiles(searchLists(query, vector, reader), {
    ofTest: demotesTests && !query.asksForTests ? SEARCH_TEST_PRIOR : 0,
  })
  const weights = wordWeights(query, reader)
  const { places, complete } =
    query.literals.length > 0
      ? literalPlaces(query, { ranked, limit }, reader)
      : { places: ranked.slice(0, limit).flatMap(file => placesOf(file, weights, reader)), complete: true }
  const hits = places
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ chunk, score, reason, exact, pointed }): SearchHit => ({
      repository: chunk.repository,
      path: chunk.path,
      startLine: chunk.startLine,
      endLine: chunk.endLine,
      score: Math.max(0.001, Math.round(score * 1000) / 1000),
      reason,
      ...snippetOf(chunk, weights, { exact, pointed }),
    }))
  return { hits, complete, ...(failed ? { notice: BY_WORDS } : {}) }
}
