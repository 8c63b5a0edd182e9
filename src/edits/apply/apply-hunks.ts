import {
  isCountedOut,
  replyProblem,
  type AppliedEdit,
  type EditProblem,
  type EditReason,
  type FileDiff,
  type Hunk,
  type HunkLine,
} from '../edit.ts'
import { isPlaceholder } from '../text/ellipsis.ts'
import { textOf } from './diff-target.ts'
import type { FileEdit } from './file-edit.ts'
import { nearestLines } from './nearest-lines.ts'
import { refused, type Outcome } from './outcome.ts'
import { lostSecret } from './placeholders.ts'
import type { Workspace } from './workspace.ts'

/** The end of each message about a header that may be a line of the file. */
export const LOST_PREFIX = 'it may be a context line without its prefix. Begin each context line with a blank.'

const CHANGES_NOTHING = 'No line of this diff begins with "+" or "-", so it changes nothing.'
const LEFT_OUT = 'An added line stands for code that is left out. Write all lines that are to be in the file.'
const HEADER_IN_FILE =
  'The header of this hunk is a line of the file, too, ' +
  `and the counts of the hunk before do not come out: ${LOST_PREFIX}`
const SPILLS =
  'Lines with "+" or "-" stand after the end of this hunk, as its counts or a blank line have it. ' +
  'Put the diff in a fence, and begin each line of it with "+", "-" or a blank.'

/** Whether a hunk adds a line that stands for code, and removes none. */
function leavesOutCode({ lines }: Hunk): boolean {
  const hasPlaceholder = (wanted: HunkLine['kind']): boolean =>
    lines.some(({ kind, text }) => kind === wanted && isPlaceholder(text))
  return hasPlaceholder('+') && !hasPlaceholder('-')
}

/** The hunks whose header may be a line of the file: then the hunk before goes on behind it. */
function hunksInside(hunks: readonly Hunk[], { index }: FileEdit): ReadonlySet<Hunk> {
  const isLineOfFile = ({ text }: Hunk): boolean => index.placesOf(text.split('\n', 1)[0] ?? '', 'exact').length > 0
  return new Set(hunks.filter((hunk, i) => !isCountedOut(hunks[i - 1]) && isLineOfFile(hunk)))
}

/** Applies the hunks of a diff to one file, each for itself. */
export function applyHunks(
  { hunks }: FileDiff,
  { path, edit, workspace }: { path: string; edit: FileEdit; workspace: Workspace },
): Outcome {
  const applied: AppliedEdit[] = []
  const problems: EditProblem[] = []
  edit.startDiff()
  const inside = hunksInside(hunks, edit)
  const effective = hunks.filter(hunk => hunk.spills || hunk.lines.some(({ kind }) => kind !== ' ') || inside.has(hunk))
  if (hunks.length > 0 && effective.length === 0) {
    return refused(replyProblem('malformed', CHANGES_NOTHING, { path, text: textOf(hunks) }))
  }
  const apply = (sent: Hunk): AppliedEdit['how'] | { reason: EditReason; detail: string } => {
    if (leavesOutCode(sent)) return { reason: 'malformed', detail: LEFT_OUT }
    if (inside.has(sent)) return { reason: 'malformed', detail: HEADER_IN_FILE }
    if (sent.spills) return { reason: 'malformed', detail: SPILLS }
    const { restored: hunk, lost } = workspace.placeholders.inHunk(sent, edit.index.lines)
    if (lost !== undefined) return { reason: 'malformed', detail: lostSecret(lost) }
    const outcome = edit.apply(hunk)
    if ('failed' in outcome) return { reason: outcome.failed, detail: outcome.detail }
    workspace.remember(path, hunk)
    return outcome.done
  }
  for (const hunk of effective) {
    const outcome = apply(hunk)
    if (typeof outcome === 'string') {
      applied.push({ path, hunk: hunk.number, how: outcome })
      continue
    }
    const { reason, detail } = outcome
    const nearest = reason === 'not_found' ? nearestLines(hunk, edit.index) : []
    problems.push({ path, hunk: hunk.number, reason, detail, hunkText: hunk.text, nearest })
  }
  return { applied, problems }
}
