import type { FrameAnswer, PrintedException, PrintedFrame } from '../contract/resolution.ts'
import type { CamelCased } from '../contract/wire.ts'

/** How an exception came to be in the text: see the HTTP contract, `exceptions[].relation`. */
export type ExceptionRelation = PrintedException['relation']

/** One exception that the posted text reports, in the order of the text. */
export interface ParsedException extends PrintedException {
  chain: number
}

/** One line of a stack trace as it was printed; nothing here has been compared with a repository yet. */
export interface Frame extends PrintedFrame {
  /** Source text that the runtime printed below the frame, when it did. */
  sourceText: string | null
}

/** The exceptions of a text and their frames, outermost call first, whatever order the runtime prints. */
export interface ParsedTrace {
  exceptions: ParsedException[]
  /** Only both ends of a very long trace; `index` counts all frames, so a gap in it shows the cut. */
  frames: Frame[]
  framesTotal: number
}

/** How the file of a frame was found; `none` where it was not. */
export type MatchKind = FrameAnswer['match']

/** A frame compared with the files of a project. */
export type MappedFrame = Frame & CamelCased<FrameAnswer>
