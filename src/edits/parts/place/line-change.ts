import { endBeside, joinFile, splitFile } from '../../text/file-lines.ts'

/** Lines of a file, from 0 and without the last, that become others. */
export interface LineChange {
  from: number
  to: number
  lines: string[]
}

/** Thrown while a block is placed, where a place is not certain. */
export class Uncertain extends Error {}

/**
 * The file after changes of its lines; the lines that stay keep their ends.
 *
 * @throws {Uncertain} Two changes are of the same lines.
 */
export function changedText(text: string, changes: readonly LineChange[]): string {
  const file = splitFile(text)
  const lines: string[] = []
  const ends: string[] = []
  let at = 0
  const keepTo = (to: number): void => {
    for (; at < to; at++) {
      lines.push(file.lines[at] ?? '')
      ends.push(file.ends[at] ?? '\n')
    }
  }
  const order = changes.map((change, i) => ({ ...change, i })).sort((a, b) => a.from - b.from || a.i - b.i)
  for (const change of order) {
    if (change.from < at) throw new Uncertain()
    keepTo(change.from)
    const isBehindOpenEnd = change.lines.length > 0 && ends.at(-1) === ''
    if (isBehindOpenEnd) ends[ends.length - 1] = endBeside(file, change.from)
    for (const line of change.lines) {
      lines.push(line)
      ends.push(endBeside(file, change.from))
    }
    const isLast = change.lines.length > 0 && change.to === file.lines.length
    if (isLast && file.ends.at(-1) === '') ends[ends.length - 1] = ''
    at = change.to
  }
  keepTo(file.lines.length)
  return joinFile({ bom: file.bom, lines, ends })
}
