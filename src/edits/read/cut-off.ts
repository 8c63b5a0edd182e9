import { newSide, oldSide, replyProblem, type Reply } from '../edit.ts'

type Edits = Pick<Reply, 'diffs' | 'problems'>

/** What is said of a block at the end of a reply that was cut off. */
export const CUT_BLOCK = 'The reply was cut off at its end, so that this may lack lines. Send it again, whole.'

/** Replaces the last diff of a reply that was cut off behind it by a problem. */
export function withoutLastDiff({ diffs, problems }: Edits): Edits {
  const last = diffs.at(-1)
  if (last === undefined) return { diffs, problems }
  const text = last.hunks.map(hunk => hunk.text).join('\n')
  const problem = replyProblem('truncated', CUT_BLOCK, { path: last.newPath ?? last.oldPath, text })
  return { diffs: diffs.slice(0, -1), problems: [...problems, problem] }
}

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
