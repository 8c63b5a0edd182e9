import { safePath } from '../../core/safe-path.ts'
import { isFileHeader, isGitHeader, isHalfHeader, isHunkHeader } from './diff-lines.ts'
import { readDiffName, readGitNames, type DiffName } from './diff-name.ts'
import { replyProblem, type EditProblem, type FileDiff, type Hunk } from '../edit.ts'
import { readHunk, type DiffText } from './read-hunk.ts'

export interface DiffsRead {
  diffs: FileDiff[]
  problems: EditProblem[]
  /** The first line after what was read. */
  next: number
}

interface Header {
  /** undefined: no such line. */
  old?: DiffName
  new?: DiffName
  git: { old: string; new: string } | null
  created: boolean
  removed: boolean
  moved: 'rename' | 'copy' | null
  modes: boolean
  refused: string | null
  next: number
}

const EXTENDED =
  /^(?:old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|index) /
/** Of links and submodules. */
const SPECIAL_MODE = /\b1[26]0000$/

const beginsFile = (lines: readonly string[], at: number): boolean =>
  isGitHeader(lines[at] ?? '') || isFileHeader(lines, at) || isHalfHeader(lines, at)

/** Whether lines with prefixes stand here without a header, of which at least one is a change. */
function isBody({ lines, end }: DiffText, at: number): boolean {
  for (let i = at; i < end; i++) {
    if (beginsFile(lines, i) || isHunkHeader(lines[i] ?? '')) return false
    if (/^[+-](?![+-]{2} )/.test(lines[i] ?? '')) return true
  }
  return false
}

function readHunks(text: DiffText, from: number, afterHeader: boolean): { hunks: Hunk[]; next: number } {
  const hunks: Hunk[] = []
  let at = from
  let lacksLines = false
  while (at < text.end) {
    const line = text.lines[at] ?? ''
    const begins =
      isHunkHeader(line) ||
      (hunks.length === 0 && line.trim() !== '' && !beginsFile(text.lines, at) && (!afterHeader || /^[ +-]/.test(line)))
    if (!begins) {
      if (line.trim() !== '' || (text.within === 'prose' && !isHunkHeader(text.lines[at + 1] ?? ''))) break
      at++
      continue
    }
    const { hunk, next } = readHunk(text, at, hunks.length + 1)
    // Behind a hunk that lacks lines a header may be a line of the file without its prefix: then its numbers say
    // nothing.
    if (lacksLines && hunk.lines.length > 0 && hunk.lines.every(({ kind }) => kind === '+')) hunk.spills = true
    lacksLines = hunk.lines.filter(({ kind }) => kind !== '+').length < (hunk.oldCount ?? 0)
    if (hunk.lines.length > 0 || hunk.spills) hunks.push(hunk)
    at = Math.max(next, at + 1)
  }
  return { hunks, next: at }
}

function readExtended(header: Header, line: string): void {
  if (SPECIAL_MODE.test(line)) header.refused = 'Symbolic links and submodules are not edited.'
  const moved = /^(rename|copy) (from|to) (.+)$/.exec(line)
  if (moved !== null) {
    header.moved = moved[1] === 'rename' ? 'rename' : 'copy'
    header.git ??= { old: '', new: '' }
    const name = readDiffName(moved[3] ?? '') ?? ''
    // These lines have no prefixes; the other names of this header get theirs to be one pair with them.
    header.git = moved[2] === 'from' ? { ...header.git, old: `a/${name}` } : { ...header.git, new: `b/${name}` }
    return
  }
  if (line.startsWith('new file mode')) header.created = true
  else if (line.startsWith('deleted file mode')) header.removed = true
  else if (/^(?:old|new) mode/.test(line)) header.modes = true
}

function readHeader({ lines, end }: DiffText, from: number): Header {
  const header: Header = {
    git: null,
    created: false,
    removed: false,
    moved: null,
    modes: false,
    refused: null,
    next: from,
  }
  let at = from
  if (isGitHeader(lines[at] ?? '')) {
    header.git = readGitNames(lines[at] ?? '')
    for (at++; at < end && EXTENDED.test(lines[at] ?? ''); at++) readExtended(header, (lines[at] ?? '').trimEnd())
    if (/^(?:GIT binary patch|Binary files .* differ)/.test(lines[at] ?? '')) {
      header.refused = 'Binary patches are not read: only text can be edited.'
      while (at < end && !isGitHeader(lines[at] ?? '')) at++
    }
  }
  if (isFileHeader(lines, at)) {
    header.old = readDiffName((lines[at] ?? '').slice(4))
    header.new = readDiffName((lines[at + 1] ?? '').slice(4))
    at += 2
  } else if (isHalfHeader(lines, at)) {
    const name = readDiffName((lines[at] ?? '').slice(4))
    if (name !== null) header.old = header.new = name
    else header[(lines[at] ?? '').startsWith('-') ? 'old' : 'new'] = null
    at++
  }
  header.next = at
  return header
}

/** `a/` and `b/` go only as a pair; `/dev/null` goes with either. */
function namesOf(header: Header | null, fallback: string | null): Names | null {
  if (header === null) return fallback === null ? null : { old: fallback, fresh: fallback, stripped: false }
  const { git } = header
  const moved = header.moved !== null && git !== null
  let old = moved ? git.old : header.old === undefined ? git?.old : header.old
  let fresh = moved ? git.new : header.new === undefined ? git?.new : header.new
  if (old === undefined) old = fresh === null ? undefined : fresh
  if (fresh === undefined) fresh = old === null ? undefined : old
  if ((old ?? null) === null && (fresh ?? null) === null) {
    if (fallback === null) return old === null && fresh === null ? { old, fresh, stripped: false } : null
    return { old: old === null ? null : fallback, fresh: fresh === null ? null : fallback, stripped: false }
  }
  const isPair =
    (old === null || old === undefined || old.startsWith('a/')) &&
    (fresh === null || fresh === undefined || fresh.startsWith('b/'))
  const strip = (name: string | null | undefined): string | null =>
    name === null || name === undefined ? null : isPair ? name.slice(2) : name
  return { old: strip(old), fresh: strip(fresh), stripped: isPair }
}

function kindOf(header: Header | null, { old, fresh }: Names): FileDiff['kind'] {
  if (header?.moved !== null && header?.moved !== undefined) return header.moved
  if (old === null || header?.created === true) return 'create'
  if (fresh === null || header?.removed === true) return 'delete'
  return 'change'
}

function fileDiffOf(
  header: Header | null,
  { fallback, hunks, line, first }: { fallback: string | null; hunks: Hunk[]; line: number; first: string },
): Outcome {
  const names = namesOf(header, fallback)
  if (names === null) {
    return {
      reason: 'malformed',
      detail: 'Nothing says which file this diff is of. Begin it with "--- a/path" and "+++ b/path".',
      path: null,
    }
  }
  const { old, fresh, stripped } = names
  const oldPath = old === null ? null : safePath(old)
  const newPath = fresh === null ? null : safePath(fresh)
  if ((old !== null && oldPath === null) || (fresh !== null && newPath === null)) {
    return {
      reason: 'bad_path',
      detail: `${JSON.stringify(oldPath === null && old !== null ? old : fresh)} is no path that may be written: it must be relative, inside the project and outside of .git.`,
      path: null,
    }
  }
  const path = newPath ?? oldPath
  if (path === null) return { reason: 'malformed', detail: 'Both names of this diff are /dev/null.', path: null }
  if (header !== null && header.refused !== null) return { reason: 'malformed', detail: header.refused, path }
  const kind = kindOf(header, names)
  if (hunks.length === 0 && kind === 'change') {
    return {
      reason: 'malformed',
      detail:
        header?.modes === true
          ? 'This diff changes only the mode of the file, which cannot be done here.'
          : 'This diff names a file but has no hunk.',
      path,
    }
  }
  const isCopy = kind === 'rename' || kind === 'copy'
  return {
    diff: {
      header: first,
      oldPath: kind === 'create' ? null : (oldPath ?? path),
      newPath: kind === 'delete' ? null : isCopy || kind === 'create' ? newPath : (newPath ?? oldPath),
      stripped,
      kind,
      hunks,
      line,
    },
  }
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
    const start = at
    const hasHeader = beginsFile(lines, at)
    if (!hasHeader && !isHunkHeader(lines[at] ?? '') && !(at === from && within === 'fence' && isBody(text, at))) {
      if (within === 'prose' && (lines[at] ?? '').trim() !== '') break
      at++
      continue
    }
    const header = hasHeader ? readHeader(text, at) : null
    if (header !== null) at = header.next
    const { hunks, next } = readHunks(text, at, header !== null)
    at = Math.max(next, start + 1)
    const own = lines.slice(start, at).join('\n').trimEnd()
    const outcome = fileDiffOf(header, {
      fallback: name,
      hunks,
      line: start,
      first: hasHeader ? (lines[start] ?? '') : '',
    })
    if ('diff' in outcome) {
      diffs.push(outcome.diff)
      name = outcome.diff.newPath ?? outcome.diff.oldPath ?? name
    } else {
      problems.push(replyProblem(outcome.reason, outcome.detail, { path: outcome.path, text: own }))
    }
  }
  return { diffs, problems, next: at }
}

type Outcome = { diff: FileDiff } | { reason: EditProblem['reason']; detail: string; path: string | null }

interface Names {
  old: string | null
  fresh: string | null
  stripped: boolean
}
