import { safePath } from '../../core/safe-path.ts'
import { replyProblem, type EditProblem, type FileDiff, type Hunk } from '../edit.ts'
import { readHunk, type DiffText } from './read-hunk.ts'
import type { DiffsRead } from './read-diff.ts'

const SECTION = /^\*\*\* (Update|Add|Delete) File: (.+)$/

function readSections(text: DiffText, from: number): { hunks: Hunk[]; next: number } {
  const hunks: Hunk[] = []
  let at = from
  while (at < text.end) {
    const line = text.lines[at] ?? ''
    if (line.startsWith('*** End of File')) {
      at++
      continue
    }
    if (line.startsWith('*** ')) break
    const { hunk, next } = readHunk(text, at, hunks.length + 1)
    if (hunk.lines.length > 0) hunks.push(hunk)
    at = Math.max(next, at + 1)
  }
  return { hunks, next: at }
}

/**
 * Reads a `*** Begin Patch` envelope: the same edits as a diff's, with hunks that have no numbers. One that does not
 * end is refused as a whole.
 */
export function readEnvelope(text: DiffText, from: number): DiffsRead {
  const { lines, end } = text
  const diffs: FileDiff[] = []
  const problems: EditProblem[] = []
  let at = from + 1
  while (at < end && !(lines[at] ?? '').startsWith('*** End Patch')) {
    const section = SECTION.exec((lines[at] ?? '').trimEnd())
    if (section === null) {
      at++
      continue
    }
    const start = at
    const target = /^\*\*\* Move to: (.+)$/.exec((lines[at + 1] ?? '').trimEnd())?.[1]?.trim()
    const { hunks, next } = readSections({ ...text, within: 'envelope' }, at + (target === undefined ? 1 : 2))
    at = next
    const named = section[2]?.trim() ?? ''
    const path = safePath(named)
    const newPath = target === undefined ? path : safePath(target)
    const own = lines.slice(start, at).join('\n')
    if (path === null || newPath === null) {
      problems.push(
        replyProblem(
          'bad_path',
          `${JSON.stringify(path === null ? named : target)} is no path that may be written: it must be relative, inside the project and outside of .git.`,
          { text: own },
        ),
      )
    } else {
      const kind =
        section[1] === 'Add'
          ? 'create'
          : section[1] === 'Delete'
            ? 'delete'
            : target === undefined
              ? 'change'
              : 'rename'
      diffs.push({
        header: '',
        oldPath: kind === 'create' ? null : path,
        newPath: kind === 'delete' ? null : newPath,
        stripped: false,
        kind,
        hunks,
        line: start,
      })
    }
  }
  if (at >= end) {
    return {
      diffs: [],
      problems: [
        replyProblem('truncated', 'This patch has no "*** End Patch": it was cut off. Send it again, whole.', {
          text: lines.slice(from, end).join('\n'),
        }),
      ],
      next: end,
    }
  }
  return { diffs, problems, next: at + 1 }
}
