import { baseName } from '../../core/path-names.ts'
import { isCountedOut, replyProblem, type FileDiff } from '../edit.ts'
import { applyHunks, LOST_PREFIX } from './apply-hunks.ts'
import { createFile } from './create-file.ts'
import { findDiffTarget, textOf } from './diff-target.ts'
import { meantPath } from './mention.ts'
import { done, refused, type Outcome } from './outcome.ts'
import type { Workspace } from './workspace.ts'

const HEADER_IN_FILE =
  'The header of this diff is a line of the file before it, too, ' +
  `and the counts of the hunk there do not come out: ${LOST_PREFIX}`

/** Ends of names that people give to the second of two versions of one file. */
const VERSION =
  /[._-](?:orig(?:inal)?|new|mod(?:ified)?|fix(?:ed)?|updated?|patched|bak|backup|old|copy|before|after)\b/i

/**
 * Whether what looks like the header of a diff may be a line of the diff before: one without its prefix, or a removed
 * `-- x`.
 */
function mayBeInside({ header }: FileDiff, previous: FileDiff, workspace: Workspace): boolean {
  if (header === '' || isCountedOut(previous.hunks.at(-1))) return false
  const target = findDiffTarget(previous, workspace)
  if (!('path' in target)) return false
  const { index } = workspace.open(target.path)
  const isLineOfFile = (line: string): boolean => index.placesOf(line, 'exact').length > 0
  return isLineOfFile(header) || (header.startsWith('--- ') && isLineOfFile(header.slice(1)))
}

/** The outcome of a deletion or a rename that was done before; null for any other diff. */
function movedBefore(diff: FileDiff, workspace: Workspace): Outcome | null {
  const { kind, oldPath, newPath, hunks } = diff
  if ((kind !== 'delete' && kind !== 'rename') || oldPath === null) return null
  if (workspace.read(oldPath) !== undefined || !workspace.wasDeleted(oldPath)) return null
  if (kind === 'delete') return done(oldPath, 'repeated')
  if (newPath === null || workspace.read(newPath) === undefined) return null
  const moved = done(newPath, 'repeated')
  if (hunks.length === 0) return moved
  const { applied, problems } = applyHunks(diff, { path: newPath, edit: workspace.open(newPath), workspace })
  return { applied: [...moved.applied, ...applied], problems }
}

/** Whether the second name of a diff is a new place of the file rather than another spelling of the first. */
function isMove({ kind, oldPath, newPath }: FileDiff, path: string, { targets }: Workspace): boolean {
  if (kind === 'rename' || kind === 'copy') return true
  if (newPath === null || oldPath !== path || newPath === path) return false
  return !('path' in targets.find(newPath)) && !VERSION.test(baseName(newPath))
}

function remove(diff: FileDiff, path: string, workspace: Workspace): Outcome {
  const { problems } = applyHunks(diff, { path, edit: workspace.open(path), workspace })
  if (problems.length > 0) return { applied: [], problems }
  workspace.remove(path)
  return done(path)
}

function move(
  diff: FileDiff,
  { from, to, keeps }: { from: string; to: string; keeps: boolean },
  workspace: Workspace,
): Outcome {
  if (workspace.read(to) !== undefined || workspace.isBlocked(to)) {
    const detail = `${from} cannot become ${to}: that exists.`
    return refused(replyProblem('malformed', detail, { path: to, text: textOf(diff.hunks) }))
  }
  // First all of the move, then the hunks: one that cannot be applied, or costs too much, leaves no half of it.
  workspace.write(to, workspace.read(from) ?? '')
  if (!keeps) workspace.remove(from)
  const moved = done(to)
  if (diff.hunks.length === 0) return moved
  const { applied, problems } = applyHunks(diff, { path: to, edit: workspace.open(to), workspace })
  return { applied: [...moved.applied, ...applied], problems }
}

/**
 * Applies the diff of one file: each hunk for itself; a creation, deletion, rename or copy as a whole.
 *
 * @param previous - The diff before it in the reply.
 */
export function applyDiff(diff: FileDiff, workspace: Workspace, previous: FileDiff | null): Outcome {
  const { kind, oldPath, newPath, hunks } = diff
  const text = textOf(hunks)
  if (previous !== null && mayBeInside(diff, previous, workspace)) {
    return refused(replyProblem('malformed', HEADER_IN_FILE, { path: newPath ?? oldPath, text }))
  }
  if (kind === 'create') return createFile(diff, workspace)
  const before = movedBefore(diff, workspace)
  if (before !== null) return before
  const target = findDiffTarget(diff, workspace)
  if ('problem' in target) return target.isNew ? createFile(diff, workspace) : refused(target.problem)
  const { path } = target
  if (kind === 'delete') return remove(diff, path, workspace)
  if (newPath !== null && newPath !== path && isMove(diff, path, workspace)) {
    const meant = meantPath(newPath, workspace)
    if ('unclear' in meant) return refused(replyProblem('no_such_file', meant.unclear, { path: newPath, text }))
    if (meant.path !== path) return move(diff, { from: path, to: meant.path, keeps: kind === 'copy' }, workspace)
  }
  return applyHunks(diff, { path, edit: workspace.open(path), workspace })
}
