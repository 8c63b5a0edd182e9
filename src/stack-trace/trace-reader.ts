import type { Failure } from './failures.ts'
import type { CleanText } from './layout/clean.ts'

/** What knows how one runtime prints a failure. A new runtime is a folder and a row of `readers/readers.ts`. */
export interface TraceReader {
  language: string
  /**
   * What a line must hold one of for a failure to begin there, so that no other line is read: text, in which a line
   * break stands for either end of the line without its blanks, a digit for any digit, and a character beyond ASCII for
   * any such.
   */
  opens: readonly string[]
  /**
   * Reads the failure whose trace begins at line `at`, or answers null when none does. Must look at a bounded number of
   * lines before it knows, or the whole would not be linear. A block that lists independent failures gives them all, in
   * the order of the text.
   *
   * @param floor - First line that no earlier failure has used: as far back as a message may be looked for.
   */
  read: (text: CleanText, at: number, floor: number) => Failure | Failure[] | null
}
