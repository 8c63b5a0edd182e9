import type { Chunk } from '../core/chunk.ts'
import type { SourceReason } from '../core/resolution.ts'
import type { CodeReader } from './code-reader.ts'
import type { RankedFile } from './ranked-file.ts'

/** A chunk that belongs into the context, and why. */
export interface Selected {
  chunk: Chunk
  /** Lines of the trace in this chunk, the most telling first. */
  highlightedLines: number[]
  reason: SourceReason
  why: string
  score: number
}

const MAX_CHUNKS = 3

/** The chunks of ranked files that hold lines of the trace, or else what the evidence points to; best first. */
export function selectChunks (files: readonly RankedFile[], reader: Pick<CodeReader, 'chunksOf'>): Selected[] {
  return files.flatMap((file) => {
    const chunks = reader.chunksOf(file.repository, file.path)
    const wanted = file.highlightedLines.length > 0 ? file.highlightedLines : file.ranges.slice(0, MAX_CHUNKS).map(({ startLine, endLine }) => Math.floor((startLine + endLine) / 2))
    const found = new Map<number, Selected>()
    for (const line of wanted.length === 0 ? [1] : wanted) {
      const chunk = mostCentral(chunks, line)
      if (chunk === null) continue
      const entry = found.get(chunk.chunkIndex) ?? { chunk, highlightedLines: [], reason: file.reason, why: file.why, score: file.score }
      if (file.highlightedLines.includes(line)) entry.highlightedLines.push(line)
      found.set(chunk.chunkIndex, entry)
    }
    return [...found.values()]
  })
}

const contains = (chunk: Chunk, line: number): boolean => chunk.startLine <= line && line <= chunk.endLine

/** Of overlapping chunks the one with the most code on both sides of the line. */
function mostCentral (chunks: readonly Chunk[], line: number): Chunk | null {
  let best: Chunk | null = null
  for (const chunk of chunks) {
    if (contains(chunk, line) && (best === null || margin(chunk, line) > margin(best, line))) best = chunk
  }
  return best
}

const margin = ({ startLine, endLine }: Chunk, line: number): number => Math.min(line - startLine, endLine - line)
