import type { ResolutionAnswer } from '../contract/resolution.ts'
import { shortCommit } from './table.ts'
import { printableLine } from './terminal-text.ts'

/** What an answer says of later commits. */
export type LaterChanges = Pick<ResolutionAnswer, 'changed_since' | 'failing_line_gone'>

/** One of them. */
type LaterChange = NonNullable<ResolutionAnswer['changed_since']>[number]

const MAX_NAMED = 3

/** What is said where the failing line is gone. */
export const GONE_TEXT = 'The failing line is not there any more in the indexed code.'

/** `path:3,7-9` of the lines that a commit changed, as they were. */
export function linesText({ path, lines }: LaterChange): string {
  const runs: Array<[first: number, last: number]> = []
  for (const line of lines) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === line - 1) run[1] = line
    else runs.push([line, line])
  }
  return `${path}:${runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',')}`
}

/** Later changes in a sentence or two; null where none is known. */
export function changedSinceSentence({
  changed_since: changes = [],
  failing_line_gone: isGone,
}: LaterChanges): string | null {
  const named = changes
    .slice(0, MAX_NAMED)
    .map(change => `${shortCommit(change.commit)} "${printableLine(change.summary)}"`)
    .join(', ')
  const left = changes.length > MAX_NAMED ? ` and ${changes.length - MAX_NAMED} more` : ''
  const by = named === '' ? '' : `The code was changed since by ${named}${left}.`
  const sentences = [...(isGone === true ? [`Already fixed? ${GONE_TEXT}`] : []), ...(by === '' ? [] : [by])]
  return sentences.length === 0 ? null : sentences.join(' ')
}
