import type { MappedFrame, ParsedException } from './frame.ts'
import type { Usage } from './job.ts'

/** What speaks most for a source. */
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

/** A source that there was no room for in the context. */
export interface DroppedSource {
  repository: string
  path: string
  startLine: number
  endLine: number
  reason: SourceReason
  score: number
  tokens: number
}

/** For a text that holds neither an exception nor a frame. */
export const NO_TRACE_NOTICE =
  'There is no stack trace, failed test or compiler error in this text; the code was searched by its words. ' +
  'Post what the failing command printed, from its first error to the last line of the stack trace, or the whole log ' +
  'of that step.'

/** How far a project can be searched. */
export type IndexState = 'cloning' | 'lexical_ready' | 'ready' | 'degraded' | 'failed'

/** Everything of a resolution that needs no model. */
export interface Located {
  projectName: string
  /** Commit of the repository that the frames point into (the first repository when they point nowhere). */
  commit: string
  indexState: IndexState
  exceptions: Array<ParsedException & { fingerprint: string | null }>
  frames: MappedFrame[]
  /** Frames of the trace; `frames` holds only both ends of a very long one. */
  framesTotal: number
  /**
   * What the caller should know before trusting the answer: that the text held no fault, or that no file stands out;
   * mostly left out.
   */
  notice?: string
  sources: Source[]
  context: string
  contextTokens: number
  tokenizer: string
  dropped: DroppedSource[]
  suspectCommits: SuspectCommit[]
  /** Why there may be fewer of them than there are, or none. */
  suspectsStatus: 'ok' | 'shallow_history' | 'timed_out'
  timingsMs: { parse: number; map: number; retrieve: number; context: number }
}

/** A line of the trace whose past is asked for. */
export interface MarkedLine {
  repository: string
  path: string
  line: number
  /** The commit that the line is read at. */
  commit: string
  /** The nearer to the failure the more. */
  weight: number
  failing: boolean
}

/** The part of a resolution that the index says. */
export type FoundCode = Omit<Located, 'suspectCommits' | 'suspectsStatus' | 'timingsMs'>

/** What the files of the index say, and what git is to be asked. */
export interface LocatedCode extends Omit<Located, 'suspectCommits' | 'suspectsStatus'> {
  /** Nearest to the failure first; `tracedAt` in milliseconds of the epoch, where the text says when it was logged. */
  marked: { lines: MarkedLine[]; tracedAt: number | null }
  /** The embedding service did not answer, so there may be more to find a moment later. */
  degraded: boolean
}

/**
 * What was located, and `FoundCode` as JSON in the words of the contract: written once, where it was found, and sent as
 * often as it is asked for.
 */
export interface WrittenCode {
  code: LocatedCode
  json: Uint8Array
}

/** A model's reply and the parts of it that could be told apart. */
export interface Answer {
  text: string
  explanation: string
  fix: string
  patch: string | null
  /** `applies`, `none`, or `rejected: ` and the reason. */
  patchStatus: string
}

/** Whether there is an answer of a model, or why not. */
export type AnswerStatus = 'ok' | 'not_requested' | 'not_configured' | 'failed'

/** A commit that may have caused the failure. */
export interface SuspectCommit {
  commit: string
  author: string
  date: string
  summary: string
  path: string
  lines: number[]
  score: number
  why: string
}

/** The whole result of resolving one stack trace. */
export interface Resolution extends Omit<Located, 'timingsMs'> {
  id: string
  answer: Answer | null
  answerStatus: AnswerStatus
  /** Why there is no answer; with an answer: why it is not whole. */
  answerError: { code: string; message: string } | null
  /** The model that answered, or that was asked in vain; null when none was asked. */
  model: string | null
  /** Secrets that were replaced in what the model was sent; left out when no model answered. */
  redactions?: number
  usage: Usage
  timingsMs: Located['timingsMs'] & { llm: number; total: number }
}

/** A chunk that a search found, with the lines of it that match best. */
export interface SearchHit {
  repository: string
  path: string
  startLine: number
  endLine: number
  score: number
  /**
   * What speaks most for it: `lexical` words and quoted text in it or its path, `related` a name that is defined there,
   * `similar` vectors.
   */
  reason: 'lexical' | 'related' | 'similar'
  snippet: string
  /** Line of the file that the snippet begins with. */
  snippetLine: number
  /** Lines of the snippet that hold words of the query, as lines of the file. */
  highlightedLines: number[]
}

/** What a search found. */
export interface SearchAnswer {
  /** Best first. */
  hits: SearchHit[]
  /** False when the project was too large to look through all of it for what was quoted. */
  complete: boolean
  /** What the caller should know before trusting the hits; mostly left out. */
  notice?: string
}
