import type { MappedFrame, ParsedException } from './frame.ts'

export type SourceReason = 'frame' | 'related' | 'similar' | 'lexical' | 'history'

/** One piece of code put into the context. Lines are 1-based and inclusive. */
export interface Source {
  repository: string
  path: string
  startLine: number
  endLine: number
  symbol: string | null
  /** Null, as `totalChunks`, for an extract that is not a whole chunk. */
  chunkIndex: number | null
  totalChunks: number | null
  highlightedLines: number[]
  reason: SourceReason
  why: string
  score: number
  tokens: number
}

export interface DroppedSource {
  repository: string
  path: string
  startLine: number
  endLine: number
  reason: SourceReason
  score: number
  tokens: number
}

export type IndexState = 'cloning' | 'lexical_ready' | 'ready' | 'degraded' | 'failed'

/** Everything of a resolution that needs no model. */
export interface Located {
  projectName: string
  /** Commit of the repository that the frames point into (the first repository when they point nowhere). */
  commit: string
  indexState: IndexState
  exceptions: Array<ParsedException & { fingerprint: string | null }>
  frames: MappedFrame[]
  sources: Source[]
  context: string
  contextTokens: number
  tokenizer: string
  dropped: DroppedSource[]
  timingsMs: { parse: number, map: number, retrieve: number, context: number }
}
