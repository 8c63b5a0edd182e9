import type { Guard } from '../contract/guards.ts'

/** A file before and after a change; null where it is not there. */
export interface ChangedFile {
  path: string
  before: string | null
  after: string | null
}

/** The place that a trace names as the failing one, in the text before the change. */
export interface FailingPlace {
  path: string
  line: number
  /** Type and message of the error; empty where the trace has neither. */
  error: string
}

/** Lines of one text, 1-based and inclusive; empty where `to` is below `from`. */
export interface LineRange {
  from: number
  to: number
}

/** Something in one text that counts where the text before the change has it less often. */
export interface Finding extends Omit<Guard, 'path'> {
  /** The same for the same thing, wherever it stands. */
  signature: string
  /** What it stands in: one that is replaced by its like in there is not new. */
  scope: string
}

/** What is known of files by their names. */
export interface FileKinds {
  languageOf: (path: string) => string | null
  isTest: (path: string) => boolean
}
