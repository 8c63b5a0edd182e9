import type { DiffText } from './diff-text.ts'
import { isFileHeader, isGitHeader, isHalfHeader } from './diff-lines.ts'
import { readGitNames } from '../../../core/git-names.ts'
import { readDiffName, type DiffName } from './diff-name.ts'

/** The lines before the hunks of one file. */
export interface DiffHeader {
  /** The name behind `---`; undefined without such a line. */
  old?: DiffName
  /** The name behind `+++`; undefined without such a line. */
  new?: DiffName
  /** The names of git's own lines. */
  git: { old: string; new: string } | null
  created: boolean
  removed: boolean
  moved: 'rename' | 'copy' | null
  /** Whether the mode of the file changes. */
  modes: boolean
  /** Why the file cannot be edited, for the model. */
  refused: string | null
  /** The first line after the header. */
  next: number
}

const EXTENDED = new RegExp(
  '^(?:old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|' +
    'similarity index|dissimilarity index|index) ',
)
const MOVE = /^(rename|copy) (from|to) (.+)$/
/** The modes of links and submodules. */
const SPECIAL_MODE = /\b1[26]0000$/
const BINARY = /^(?:GIT binary patch|Binary files .* differ)/

/** Whether the header of a file begins here. */
export const beginsFile = (lines: readonly string[], at: number): boolean =>
  isGitHeader(lines[at] ?? '') || isFileHeader(lines, at) || isHalfHeader(lines, at)

/** Reads one of git's lines below `diff --git`. */
function readExtended(header: DiffHeader, line: string): void {
  if (SPECIAL_MODE.test(line)) header.refused = 'Symbolic links and submodules are not edited.'
  const [, kind, side, spelled = ''] = MOVE.exec(line) ?? []
  if (kind !== undefined) {
    header.moved = kind === 'rename' ? 'rename' : 'copy'
    header.git ??= { old: '', new: '' }
    const name = readDiffName(spelled) ?? ''
    // These lines have no prefixes; the other names of this header get theirs to be one pair with them.
    header.git = side === 'from' ? { ...header.git, old: `a/${name}` } : { ...header.git, new: `b/${name}` }
    return
  }
  if (line.startsWith('new file mode')) header.created = true
  else if (line.startsWith('deleted file mode')) header.removed = true
  else if (/^(?:old|new) mode/.test(line)) header.modes = true
}

/** Reads git's own lines, and returns the first line after them. */
function readGitLines(header: DiffHeader, { lines, end }: DiffText, from: number): number {
  let at = from
  header.git = readGitNames(lines[at] ?? '')
  for (at++; at < end && EXTENDED.test(lines[at] ?? ''); at++) readExtended(header, (lines[at] ?? '').trimEnd())
  if (BINARY.test(lines[at] ?? '')) {
    header.refused = 'Binary patches are not read: only text can be edited.'
    while (at < end && !isGitHeader(lines[at] ?? '')) at++
  }
  return at
}

/** Reads the lines with the two names, or with one, and returns the first line after them. */
function readNameLines(header: DiffHeader, lines: readonly string[], at: number): number {
  const line = lines[at] ?? ''
  if (isFileHeader(lines, at)) {
    header.old = readDiffName(line.slice(4))
    header.new = readDiffName((lines[at + 1] ?? '').slice(4))
    return at + 2
  }
  if (!isHalfHeader(lines, at)) return at
  const name = readDiffName(line.slice(4))
  if (name !== null) header.old = header.new = name
  else header[line.startsWith('-') ? 'old' : 'new'] = null
  return at + 1
}

/** Reads the header that begins at `from`. */
export function readDiffHeader(text: DiffText, from: number): DiffHeader {
  const header: DiffHeader = {
    git: null,
    created: false,
    removed: false,
    moved: null,
    modes: false,
    refused: null,
    next: from,
  }
  let at = from
  if (isGitHeader(text.lines[at] ?? '')) at = readGitLines(header, text, at)
  header.next = readNameLines(header, text.lines, at)
  return header
}
