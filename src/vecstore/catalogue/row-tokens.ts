import { packedTextIn, numberIn } from '../format/row.ts'
import { openPublished } from './catalogue-schema.ts'

/** Tokens of each line of a content, by its id. */
export interface CountedRows {
  blob: number
  rowTokens: Uint8Array
}

/**
 * Room for the tokens of so many lines. Its first byte, where counts have the version of their rule, is 0: who reads
 * it takes it for counts of another rule and counts himself.
 */
export const noRowTokens = (lines: number): Uint8Array => new Uint8Array(1 + lines)

/**
 * Counts what was added to a catalogue with room for its tokens only. Nobody may be writing the file; it may be renamed
 * or removed meanwhile.
 */
export function countUncounted(path: string, countRows: (text: string) => Uint8Array): CountedRows[] {
  const database = openPublished(path)
  try {
    const uncounted = database.prepare("SELECT id, text FROM blobs WHERE substr(row_tokens, 1, 1) = x'00'")
    const counted: CountedRows[] = []
    for (const row of uncounted.iterate()) {
      counted.push({ blob: numberIn(row, 'id'), rowTokens: countRows(packedTextIn(row, 'text')) })
    }
    return counted
  } finally {
    database.close()
  }
}
