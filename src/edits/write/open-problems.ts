import { lowerBaseName } from '../../core/path-names.ts'
import { isUnplaced, type AppliedEdit, type EditProblem, type ReadReply } from '../edit.ts'

/** The share of the lines of a block that nobody could place which an edit must have to be that block. */
const SHARE_SENT_AGAIN = 0.5

type Sent = Pick<ReadReply, 'files' | 'diffs' | 'disowns'>

const NOTHING_SENT: Sent = { files: [], diffs: [], disowns: false }

/** The lines of all edits of a reply, without blanks around them. */
function linesOf({ files, diffs }: Sent): ReadonlySet<string> {
  const lines = new Set<string>()
  for (const { content } of files) for (const line of content.split('\n')) lines.add(line.trim())
  for (const { hunks } of diffs) {
    for (const hunk of hunks) for (const { text } of hunk.lines) lines.add(text.trim())
  }
  return lines
}

/** Whether a block that nobody could place came again as an edit, or is said to be for no file. */
function isSettled({ hunkText }: EditProblem, { disowns }: Sent, sent: ReadonlySet<string>): boolean {
  if (disowns) return true
  const own = hunkText
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return own.filter(line => sent.has(line)).length >= own.length * SHARE_SENT_AGAIN
}

/**
 * The problems that are still open after a turn in which the model was asked to repeat the rejected edits: those of
 * this turn, and the earlier ones of a file beyond the number of its edits now. A problem that names no file is settled
 * by any edit; that of a block which nobody could place by one with its lines, or by the words NOT A FILE. Files are
 * compared by base name, as problems name them as the reply spells them.
 *
 * @param before - Problems of the turns before.
 */
export function openProblems(
  before: readonly EditProblem[],
  {
    applied,
    rejected,
    reply = NOTHING_SENT,
  }: { applied: readonly AppliedEdit[]; rejected: readonly EditProblem[]; reply?: Sent },
): EditProblem[] {
  const sent = before.some(isUnplaced) ? linesOf(reply) : new Set<string>()
  const again = new Set(rejected.filter(isUnplaced).map(({ hunkText }) => hunkText))
  const tries = new Map<string, number>()
  for (const { path } of [...applied, ...rejected]) {
    if (path === null) continue
    const name = lowerBaseName(path)
    tries.set(name, (tries.get(name) ?? 0) + 1)
  }
  const left = before.filter(problem => {
    const { path } = problem
    if (isUnplaced(problem)) return !isSettled(problem, reply, sent) && !again.has(problem.hunkText)
    if (path === null) return applied.length + rejected.length === 0
    const name = lowerBaseName(path)
    const remaining = tries.get(name) ?? 0
    tries.set(name, remaining - 1)
    return remaining <= 0
  })
  return [...left, ...(reply.disowns ? rejected.filter(problem => !isUnplaced(problem)) : rejected)]
}
