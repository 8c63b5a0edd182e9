import { safePath } from '../../../core/safe-path.ts'
import { badPathProblem, replyProblem, type EditProblem, type FileDiff, type Hunk } from '../../edit.ts'
import type { DiffHeader } from './diff-header.ts'
import { sidesOf, type DiffSides } from './diff-sides.ts'

/** A diff, or why it cannot be one. */
export type FileDiffRead = { diff: FileDiff } | { problem: EditProblem }

/** The parts of the diff of one file, as they were read. */
interface DiffParts {
  /** null for hunks without a header. */
  header: DiffHeader | null
  hunks: Hunk[]
  /** The file that hunks without names are of; null when nothing says. */
  fallback: string | null
  /** The line of the reply at which the diff begins. */
  line: number
  /** The first line of the header; '' without one. */
  first: string
  text: string
}

/** The paths of both sides; null for a name that no file may be written under. */
function pathsOf({ old, fresh }: DiffSides): { oldPath: string | null; newPath: string | null } | { bad: string } {
  const oldPath = old === null ? null : safePath(old)
  if (old !== null && oldPath === null) return { bad: old }
  const newPath = fresh === null ? null : safePath(fresh)
  if (fresh !== null && newPath === null) return { bad: fresh }
  return { oldPath, newPath }
}

function kindOf(header: DiffHeader | null, { old, fresh }: DiffSides): FileDiff['kind'] {
  const moved = header?.moved ?? null
  if (moved !== null) return moved
  if (old === null || header?.created === true) return 'create'
  if (fresh === null || header?.removed === true) return 'delete'
  return 'change'
}

/** The path before a diff; null for a new file. */
function oldPathOf(kind: FileDiff['kind'], oldPath: string | null, path: string): string | null {
  if (kind === 'create') return null
  return oldPath ?? path
}

/** The path after a diff; null for a deletion. */
function newPathOf(kind: FileDiff['kind'], newPath: string | null, oldPath: string | null): string | null {
  if (kind === 'delete') return null
  if (kind === 'change' && newPath === null) return oldPath
  return newPath
}

/** Makes one diff of what was read. */
export function fileDiffOf({ header, hunks, fallback, line, first, text }: DiffParts): FileDiffRead {
  const refuse = (detail: string, path: string | null = null): FileDiffRead => ({
    problem: replyProblem('malformed', detail, { path, text }),
  })
  const sides = sidesOf(header, fallback)
  if (sides === null) {
    return refuse('Nothing says which file this diff is of. Begin it with "--- a/path" and "+++ b/path".')
  }
  const paths = pathsOf(sides)
  if ('bad' in paths) return { problem: badPathProblem(paths.bad, text) }
  const { oldPath, newPath } = paths
  const path = newPath ?? oldPath
  if (path === null) return refuse('Both names of this diff are /dev/null.')
  const refused = header?.refused ?? null
  if (refused !== null) return refuse(refused, path)
  const kind = kindOf(header, sides)
  if (hunks.length === 0 && kind === 'change') {
    return header?.modes === true
      ? refuse('This diff changes only the mode of the file, which cannot be done here.', path)
      : refuse('This diff names a file but has no hunk.', path)
  }
  return {
    diff: {
      header: first,
      oldPath: oldPathOf(kind, oldPath, path),
      newPath: newPathOf(kind, newPath, oldPath),
      stripped: sides.stripped,
      kind,
      hunks,
      line,
    },
  }
}
