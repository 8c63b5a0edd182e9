import { newSide, oldSide, replyProblem, type Reply } from '../edit.ts'

type Edits = Pick<Reply, 'diffs' | 'problems'>

/**
 * Replaces the last hunk of a reply that ends without a fence by a problem, where it is cut off: its counts ask for
 * more lines, and for fewer on neither side.
 */
export function withoutCutHunk({ diffs, problems }: Edits): Edits {
  const last = diffs.at(-1)
  const hunk = last?.hunks.at(-1)
  if (last === undefined || hunk === undefined || hunk.oldCount === null || hunk.newCount === null) {
    return { diffs, problems }
  }
  const old = hunk.oldCount - oldSide(hunk).length
  const added = hunk.newCount - newSide(hunk).length
  if (old < 0 || added < 0 || old + added === 0) return { diffs, problems }
  const hunks = last.hunks.slice(0, -1)
  const kept = hunks.length === 0 ? [] : [{ ...last, hunks }]
  const problem = replyProblem('truncated', 'The reply ends inside of this hunk. Send it again, whole.', {
    path: last.newPath ?? last.oldPath,
    text: hunk.text,
  })
  return { diffs: [...diffs.slice(0, -1), ...kept], problems: [...problems, problem] }
}
