import type { ChunkHit } from './code-reader.ts'

export interface ChunkList {
  reason: 'lexical' | 'similar'
  weight: number
  hits: readonly ChunkHit[]
}

export interface FusedChunk {
  hit: ChunkHit
  /** In (0, 1]; 1 for what is first in every list. */
  score: number
  /** The list that ranks it highest. */
  reason: ChunkList['reason']
}

const RANK_OFFSET = 60

/** Joins rankings of chunks whose scores cannot be compared by reciprocal ranks with k = 60. Ties by path and line. */
export function fuseChunks (lists: readonly ChunkList[]): FusedChunk[] {
  const best = lists.reduce((sum, { weight, hits }) => sum + (hits.length > 0 ? weight / (RANK_OFFSET + 1) : 0), 0)
  const fused = new Map<string, { hit: ChunkHit, sum: number, rank: number, reason: ChunkList['reason'] }>()
  for (const { reason, weight, hits } of lists) {
    for (const [rank, hit] of hits.entries()) {
      const key = `${hit.repository}\n${hit.path}\n${hit.chunkIndex}`
      const gain = weight / (RANK_OFFSET + 1 + rank)
      const known = fused.get(key)
      if (known === undefined) fused.set(key, { hit, sum: gain, rank, reason })
      else Object.assign(known, { sum: known.sum + gain }, rank < known.rank ? { rank, reason } : {})
    }
  }
  return [...fused.values()].map(({ hit, sum, reason }) => ({ hit, score: sum / best, reason })).sort((a, b) => b.score - a.score || compareHits(a.hit, b.hit))
}

const compareHits = (a: ChunkHit, b: ChunkHit): number => compareText(a.repository, b.repository) || compareText(a.path, b.path) || a.startLine - b.startLine

const compareText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0
