import type { ExceptionRelation, Frame } from '../core/frame.ts'

/** A frame before it has its number and that of its exception. */
export type RawFrame = Omit<Frame, 'index' | 'exception'>

/** What a runtime prints of an error besides its stack. */
export interface ErrorHead {
  type: string | null
  message: string | null
}

/** An exception as a reader found it. */
export interface RawException extends ErrorHead {
  relation: ExceptionRelation
  /** Outermost call first. */
  frames: RawFrame[]
}

/** One failure as a runtime printed it: its exceptions in the order of the text, and the first line after it. */
export interface Failure {
  exceptions: RawException[]
  next: number
  /** Where one reader knows several languages; else the reader's own counts. Null when it cannot tell. */
  language?: string | null
}
