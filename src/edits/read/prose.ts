import type { Region } from '../edit.ts'
import { readFence } from './fence-lines.ts'
import { nameFromLine } from './file-name.ts'

/** Takes out the line right above a block that is nothing but its name; one blank line may lie between. */
function dropName(lines: readonly string[], isLeftOut: Uint8Array, from: number): void {
  const above = lines[from - 1]?.trim() === '' ? from - 2 : from - 1
  const line = lines[above]
  if (line !== undefined && nameFromLine(line, '')?.named === 'line') isLeftOut[above] = 1
}

/**
 * What a reply says beside its code: the lines outside of blocks and edits, without the names of these. Empty for a
 * reply that explains nothing.
 *
 * @param lines - The lines of the reply, those of thoughts blank.
 */
export function proseOf(lines: readonly string[], regions: readonly Region[]): string {
  const isLeftOut = new Uint8Array(lines.length)
  for (const { from, to } of regions) {
    isLeftOut.fill(1, from, to + 1)
    dropName(lines, isLeftOut, from)
  }
  return lines
    .filter((line, at) => isLeftOut[at] === 0 && readFence(line) === null)
    .map(line => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
