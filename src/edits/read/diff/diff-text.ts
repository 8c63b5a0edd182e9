/** A text that holds diffs. */
export interface DiffText {
  lines: readonly string[]
  /** Whether the `\r` at the end of that line belongs to the file. */
  hasCr: (line: number) => boolean
  /** The first line after the text. */
  end: number
  /**
   * `prose`: what follows may be prose, so a hunk ends where its counts say so or where prose begins. `envelope`: `***`
   * lines end hunks.
   */
  within: 'fence' | 'prose' | 'envelope'
}
