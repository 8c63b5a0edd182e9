import { safePath } from '../../core/safe-path.ts'
import type { Reply, ToldDeletion } from '../edit.ts'
import { readDiffs } from './diff/read-diff.ts'
import { readShell } from './shell-block.ts'

/** What commands change. */
interface ShellEdits {
  /** Null for none. */
  edits: Reply | null
  /** Lines of commands that change files in a way that is not read. */
  left: string[]
  /** Files that they take away. */
  deletions: ToldDeletion[]
}

/**
 * The edits that commands of a shell make: files in here-documents, and diffs that are given to `patch`.
 *
 * @param line - Where the commands begin.
 * @returns Null for commands that change no file of the project.
 */
export function readShellEdits(lines: readonly string[], line: number): ShellEdits | null {
  const { files, patches, left, deletions } = readShell(lines)
  if (files.length + patches.length === 0) {
    return left.length + deletions.length === 0 ? null : { edits: null, left, deletions }
  }
  const edits: Reply = { files: [], diffs: [], problems: [] }
  for (const { path: spelled, content, isAppended } of files) {
    const path = safePath(spelled)
    if (path !== null) edits.files.push({ path, content, named: 'line', line, ...(isAppended && { isAppended }) })
  }
  for (const patch of patches) {
    const read = readDiffs({ lines: patch, hasCr: () => false, end: patch.length, within: 'fence' }, 0, null)
    for (const diff of read.diffs) edits.diffs.push({ ...diff, line })
    edits.problems.push(...read.problems)
  }
  return { edits, left, deletions }
}
