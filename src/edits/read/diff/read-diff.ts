import { oldSide, type EditProblem, type FileDiff, type Hunk } from '../../edit.ts'
import { beginsFile, readDiffHeader } from './diff-header.ts'
import { isHunkHeader } from './diff-lines.ts'
import type { DiffText } from './diff-text.ts'
import { fileDiffOf, type FileDiffRead } from './file-diff.ts'
import { readHunk } from './read-hunk.ts'

/** The diffs that were read out of a text. */
export interface DiffsRead {
  diffs: FileDiff[]
  problems: EditProblem[]
  /** The first line after what was read. */
  next: number
}

/** Whether lines with prefixes stand here without a header, of which at least one is a change. */
function isBody({ lines, end }: DiffText, at: number): boolean {
  for (let i = at; i < end; i++) {
    if (beginsFile(lines, i) || isHunkHeader(lines[i] ?? '')) return false
    if (/^[+-](?![+-]{2} )/.test(lines[i] ?? '')) return true
  }
  return false
}

/** Whether the first hunk of a diff begins here without a header. */
function beginsBareHunk(lines: readonly string[], at: number, afterHeader: boolean): boolean {
  const line = lines[at] ?? ''
  if (line.trim() === '' || beginsFile(lines, at)) return false
  return !afterHeader || /^[ +-]/.test(line)
}

/** Whether the hunks of a file may go on behind this line, which begins none: a blank one. */
function mayGoOnBehind({ lines, within }: DiffText, at: number): boolean {
  if ((lines[at] ?? '').trim() !== '') return false
  return within !== 'prose' || isHunkHeader(lines[at + 1] ?? '')
}

/** Reads the hunks of one file. */
function readHunks(text: DiffText, from: number, afterHeader: boolean): { hunks: Hunk[]; next: number } {
  const { lines, end } = text
  const hunks: Hunk[] = []
  let at = from
  let lacksLines = false
  while (at < end) {
    if (!isHunkHeader(lines[at] ?? '') && !(hunks.length === 0 && beginsBareHunk(lines, at, afterHeader))) {
      if (!mayGoOnBehind(text, at)) break
      at++
      continue
    }
    const { hunk, next } = readHunk(text, at, hunks.length + 1)
    // Behind a hunk that lacks lines a header may be a line of the file without its prefix: then its numbers say
    // nothing.
    if (lacksLines && hunk.lines.length > 0 && hunk.lines.every(({ kind }) => kind === '+')) hunk.spills = true
    lacksLines = oldSide(hunk).length < (hunk.oldCount ?? 0)
    if (hunk.lines.length > 0 || hunk.spills) hunks.push(hunk)
    at = Math.max(next, at + 1)
  }
  return { hunks, next: at }
}

/** Reads the diff of the file that begins at this line, in the header or in a hunk. */
function readFileDiff(text: DiffText, start: number, fallback: string | null): { read: FileDiffRead; next: number } {
  const { lines } = text
  const header = beginsFile(lines, start) ? readDiffHeader(text, start) : null
  const body = header === null ? start : header.next
  const hunksRead = readHunks(text, body, header !== null)
  const next = Math.max(hunksRead.next, start + 1)
  const own = lines.slice(start, next)
  const [first = ''] = own
  const read = fileDiffOf({
    header,
    hunks: hunksRead.hunks,
    fallback,
    line: start,
    first: header === null ? '' : first,
    text: own.join('\n').trimEnd(),
  })
  return { read, next }
}

/**
 * Reads the diffs of one or several files.
 *
 * @param fallback - The file that hunks without names are of; null when nothing says.
 */
export function readDiffs(text: DiffText, from: number, fallback: string | null): DiffsRead {
  const { lines, end, within } = text
  const diffs: FileDiff[] = []
  const problems: EditProblem[] = []
  let at = from
  let name = fallback
  while (at < end) {
    const first = lines[at] ?? ''
    const isBareBody = at === from && within === 'fence' && isBody(text, at)
    if (!beginsFile(lines, at) && !isHunkHeader(first) && !isBareBody) {
      if (within === 'prose' && first.trim() !== '') break
      at++
      continue
    }
    const { read, next } = readFileDiff(text, at, name)
    at = next
    if ('problem' in read) {
      problems.push(read.problem)
    } else {
      diffs.push(read.diff)
      name = read.diff.newPath ?? read.diff.oldPath ?? name
    }
  }
  return { diffs, problems, next: at }
}
