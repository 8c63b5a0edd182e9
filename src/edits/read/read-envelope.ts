import { safePath } from '../../core/safe-path.ts'
import { badPathProblem, replyProblem, type EditProblem, type FileDiff, type Hunk } from '../edit.ts'
import type { DiffText } from './diff/diff-text.ts'
import type { DiffsRead } from './diff/read-diff.ts'
import { readHunk } from './diff/read-hunk.ts'

const SECTION = /^\*\*\* (Update|Add|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/

/** One section of an envelope: what is done to one file. */
interface Section {
  verb: string
  name: string
  /** The new name of a file that is moved. */
  target: string | undefined
  hunks: Hunk[]
  /** Its first line. */
  line: number
  /** The first line after it. */
  next: number
}

function readHunks(text: DiffText, from: number): { hunks: Hunk[]; next: number } {
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

/** Reads the section that begins at this line; null where none does. */
function readSection(text: DiffText, line: number): Section | null {
  const [first = '', second = ''] = text.lines.slice(line, line + 2)
  const [, verb, name] = SECTION.exec(first.trimEnd()) ?? []
  if (verb === undefined || name === undefined) return null
  const target = MOVE.exec(second.trimEnd())?.[1]?.trim()
  const body = target === undefined ? line + 1 : line + 2
  return { verb, name: name.trim(), target, line, ...readHunks({ ...text, within: 'envelope' }, body) }
}

function kindOf({ verb, target }: Section): FileDiff['kind'] {
  if (verb === 'Add') return 'create'
  if (verb === 'Delete') return 'delete'
  return target === undefined ? 'change' : 'rename'
}

/** The diff that a section stands for; the name in it that no file may be written under, where there is one. */
function diffOf(section: Section): FileDiff | { bad: string } {
  const { name, target, hunks, line } = section
  const path = safePath(name)
  if (path === null) return { bad: name }
  const newPath = target === undefined ? path : safePath(target)
  if (newPath === null) return { bad: target ?? name }
  const kind = kindOf(section)
  return {
    header: '',
    oldPath: kind === 'create' ? null : path,
    newPath: kind === 'delete' ? null : newPath,
    stripped: false,
    kind,
    hunks,
    line,
  }
}

/**
 * Reads a `*** Begin Patch` envelope: the edits of a diff, in hunks that have no numbers. One that does not end is
 * refused as a whole.
 */
export function readEnvelope(text: DiffText, from: number): DiffsRead {
  const { lines, end } = text
  const diffs: FileDiff[] = []
  const problems: EditProblem[] = []
  let at = from + 1
  while (at < end && !(lines[at] ?? '').startsWith('*** End Patch')) {
    const section = readSection(text, at)
    if (section === null) {
      at++
      continue
    }
    at = section.next
    const diff = diffOf(section)
    if ('bad' in diff) problems.push(badPathProblem(diff.bad, lines.slice(section.line, at).join('\n')))
    else diffs.push(diff)
  }
  if (at < end) return { diffs, problems, next: at + 1 }
  const cutOff = replyProblem('truncated', 'This patch has no "*** End Patch": it was cut off. Send it again, whole.', {
    text: lines.slice(from, end).join('\n'),
  })
  return { diffs: [], problems: [cutOff], next: end }
}
