import type { SearchAnswer as WireSearchAnswer } from '../contract/project.ts'
import type { LocatedAnswer, ResolutionAnswer } from '../contract/resolution.ts'
import type { CamelCased } from '../contract/wire.ts'
import type { MappedFrame, ParsedException } from './frame.ts'

/** The answer of `POST /resolve` in camelCase; its types are those of the contract's schema. */
type Whole = CamelCased<ResolutionAnswer>

/** One piece of code put into the context. Lines are 1-based and inclusive. */
export type Source = Whole['sources'][number]

/** What speaks most for a source. */
export type SourceReason = Source['reason']

/** A source that there was no room for in the context. */
export type DroppedSource = Exclude<Whole['dropped'][number], string>

/** A commit that may have caused the failure. */
export type SuspectCommit = Whole['suspectCommits'][number]

/** A model's reply and the parts of it that could be told apart. */
export type Answer = NonNullable<Whole['answer']>

/** How far a project can be searched. */
export type IndexState = Whole['indexState']

/** For a text that holds neither an exception nor a frame. */
export const NO_TRACE_NOTICE =
  'There is no stack trace, failed test or compiler error in this text; the code was searched by its words. ' +
  'Post what the failing command printed, from its first error to the last line of the stack trace, or the whole log ' +
  'of that step.'

/** Exceptions and frames of a resolution; inside they have more fields than in the contract. */
interface Mapped {
  exceptions: Array<ParsedException & { fingerprint: string | null }>
  frames: MappedFrame[]
}

/** Everything of a resolution that needs no model. */
export interface Located extends Omit<CamelCased<LocatedAnswer>, 'id' | keyof Mapped>, Mapped {
  /** Milliseconds. */
  timingsMs: Omit<Whole['timingsMs'], 'llm' | 'total'>
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
  /** The commit that is indexed, where the line is read at another one, and the function around the line. */
  since?: { tip: string; startLine: number; endLine: number }
}

/** What git says of the lines of a trace, which may come after the rest. */
export type Past = Pick<Located, 'suspectCommits' | 'suspectsStatus' | 'changedSince' | 'failingLineGone'>

/** What the files of the index say, and what git is to be asked. */
export interface LocatedCode extends Omit<Located, keyof Past> {
  /**
   * Nearest to the failure first; `tracedAt` in milliseconds of the epoch, where the text says when it was logged;
   * `readAt` the commit whose files were read, where it is another one than the answer's `commit`.
   */
  marked: { lines: MarkedLine[]; tracedAt: number | null; readAt?: string }
  /** The embedding service did not answer, so there may be more to find a moment later. */
  degraded: boolean
}

/**
 * What was located, as the JSON of the contract: written once, where it was found, and sent as often as it is asked
 * for. `writeCode` and `readCode` of the contract make one of the other.
 */
export interface WrittenCode extends Pick<LocatedCode, 'marked' | 'degraded' | 'timingsMs'> {
  json: Uint8Array
  /** What frames have beside the fields of the contract, in their order. */
  unwritten: { sourceTexts: Array<string | null> }
}

/** The whole result of resolving one stack trace. */
export interface Resolution extends Omit<Whole, keyof Mapped>, Mapped {}

/** A chunk that a search found, with the lines of it that match best. */
export type SearchHit = CamelCased<WireSearchAnswer>['data'][number]

/** What a search found. */
export interface SearchAnswer extends Omit<CamelCased<WireSearchAnswer>, 'data'> {
  /** Best first. */
  hits: SearchHit[]
}
