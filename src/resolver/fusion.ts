import type { Chunk, Hit } from '../core/chunk.ts'

const RANK_OFFSET = 60

export interface RankedList {
  reason: 'lexical' | 'similar'
  weight: number
  hits: readonly Hit[]
}

interface FusedHit {
  chunk: Chunk
  /** In (0, 1]; 1 for what is first in every list. */
  score: number
  /** The list that ranks it highest. */
  reason: RankedList['reason']
}

/** Joins rankings whose scores cannot be compared: reciprocal rank fusion with k = 60. Ties by path and line. */
export function fuse (lists: readonly RankedList[]): FusedHit[] {
  const best = lists.reduce((sum, { weight, hits }) => sum + (hits.length > 0 ? weight / (RANK_OFFSET + 1) : 0), 0)
  const fused = new Map<string, { chunk: Chunk, sum: number, rank: number, reason: RankedList['reason'] }>()
  for (const { reason, weight, hits } of lists) {
    for (const [rank, { chunk }] of hits.entries()) {
      const key = chunkKey(chunk)
      const gain = weight / (RANK_OFFSET + 1 + rank)
      const known = fused.get(key)
      if (known === undefined) fused.set(key, { chunk, sum: gain, rank, reason })
      else Object.assign(known, { sum: known.sum + gain }, rank < known.rank ? { rank, reason } : {})
    }
  }
  return [...fused.values()].map(({ chunk, sum, reason }) => ({ chunk, score: sum / best, reason }))
    .sort((a, b) => b.score - a.score || compareChunks(a.chunk, b.chunk))
}

export const chunkKey = ({ repository, path, chunkIndex }: Chunk): string => JSON.stringify([repository, path, chunkIndex])

export function compareChunks (a: Chunk, b: Chunk): number {
  return compareText(a.repository, b.repository) || compareText(a.path, b.path) || a.startLine - b.startLine
}

const compareText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0
