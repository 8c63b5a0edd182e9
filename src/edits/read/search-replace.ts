import { safePath } from '../../core/safe-path.ts'
import { badPathProblem, replyProblem, type EditProblem, type FileDiff, type Hunk, type HunkLine } from '../edit.ts'
import { nameFromLine } from './file-name.ts'

const BEGIN = /^(?:<{5,9} ?(?:SEARCH|ORIGINAL|OLD|BEFORE|FIND)\b|-{5,9} SEARCH\s*$)/i
const MIDDLE = /^={5,9}\s*$/
const END = /^(?:>{5,9} ?(?:REPLACE|UPDATED?|NEW|AFTER|MODIFIED)\b|\+{5,9} REPLACE\s*$)/i
/** Where some models put the line that the block begins at. */
const START_LINE = /^:start_line:\s*(\d{1,9})\s*$/
const HEAD = /^:(?:start|end)_line:\s*\d{1,9}\s*$|^-{5,9}\s*$/
const CONFLICT_BEGINS = /^<{5,9}(?: |$)/
const CONFLICT_ENDS = /^>{5,9}(?: |$)/
const MAX_LINES_SHOWN = 40

const UNCLEAR_MARKS =
  'The marks of this block of SEARCH and REPLACE do not come one after the other, each once: "<<<<<<< SEARCH", ' +
  '"=======", ">>>>>>> REPLACE". Send a unified diff instead.'
const OTHER_LINES =
  'Lines stand between blocks of SEARCH and REPLACE that are neither a name of a file nor blank, so that this may be ' +
  'a file that shows such blocks. Send a unified diff.'

/** Lines that hold blocks of SEARCH and REPLACE. */
interface SearchText {
  lines: readonly string[]
  hasCr: (line: number) => boolean
  /** The file that blocks without a name of their own are of; null when nothing says. */
  path: string | null
}

/** Where the parts of a block are: the lines of its marks. */
interface Marks {
  begin: number
  middle: number
  end: number
}

/** Whether a line begins a block of SEARCH and REPLACE. */
export const beginsSearchReplace = (line: string): boolean => BEGIN.test(line)

/** Whether one of these lines begins a block of SEARCH and REPLACE, whatever its indentation. */
export function holdsSearchReplace(lines: readonly string[], { from, to }: { from: number; to: number }): boolean {
  for (let at = from; at < to; at++) if (BEGIN.test((lines[at] ?? '').trimStart())) return true
  return false
}

/** The first line behind `at` that a mark fits; -1 where none does. */
function nextMark(lines: readonly string[], at: number, mark: RegExp): number {
  for (let i = at + 1; i < lines.length; i++) if (mark.test(lines[i] ?? '')) return i
  return -1
}

/** The line at which the block that begins here ends; -1 where it does not. */
export const searchReplaceEnd = (lines: readonly string[], at: number): number => nextMark(lines, at, END)

/** The problem of lines that hold the marks of a conflict; null for any others. */
export function conflictProblem(lines: readonly string[], path: string | null): EditProblem | null {
  const at = lines.findIndex(line => CONFLICT_BEGINS.test(line))
  if (at < 0) return null
  const rest = lines.slice(at + 1)
  if (!rest.some(line => MIDDLE.test(line)) || !rest.some(line => CONFLICT_ENDS.test(line))) return null
  return replyProblem('malformed', 'Marks of a conflict are not read. Send a unified diff, or all of the file.', {
    path: path === null ? null : safePath(path),
    text: lines.slice(at, at + MAX_LINES_SHOWN).join('\n'),
  })
}

/** The marks of the block that begins at a line; what is wrong where they are not in their order. */
function marksAt(lines: readonly string[], begin: number): Marks | 'truncated' | 'malformed' {
  const end = searchReplaceEnd(lines, begin)
  const inside = lines.slice(begin + 1, end < 0 ? lines.length : end)
  if (inside.some(beginsSearchReplace)) return 'malformed'
  if (end < 0) return 'truncated'
  const middles = lines.slice(begin, end).flatMap((line, i) => (MIDDLE.test(line) ? [begin + i] : []))
  const [middle] = middles
  return middle === undefined || middles.length > 1 ? 'malformed' : { begin, middle, end }
}

/** The number of lines that both sides have in common at their beginning. */
function commonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

/** Lines that are to be replaced, and those that take their place. */
interface Replacement {
  old: readonly string[]
  fresh: readonly string[]
  /** From 1 within its diff. */
  number: number
  oldStart?: number | null
  text: string
  /** Whether a line of the old side, or of the new one, ends in `\r\n`. */
  hasCr?: (side: 'old' | 'fresh', line: number) => boolean
}

/** The hunk that replaces lines. What both sides share at their ends is context. */
export function replacingHunk({ old, fresh, number, oldStart = null, text, hasCr = () => false }: Replacement): Hunk {
  const head = commonStart(old, fresh)
  const tail = commonStart(old.slice(head).reverse(), fresh.slice(head).reverse())
  const lines = (kind: HunkLine['kind'], from: number, to: number): HunkLine[] => {
    const side = kind === '+' ? 'fresh' : 'old'
    return (kind === '+' ? fresh : old).slice(from, to).map((own, i) => {
      return { kind, text: own, raw: own, hasCr: hasCr(side, from + i), noNewline: false }
    })
  }
  return {
    number,
    oldStart,
    oldCount: null,
    newCount: null,
    lines: [
      ...lines(' ', 0, head),
      ...lines('-', head, old.length - tail),
      ...lines('+', head, fresh.length - tail),
      ...lines(' ', old.length - tail, old.length),
    ],
    doubtfulTail: 0,
    spills: false,
    text,
  }
}

/** The hunk that a block stands for. */
function hunkOf({ lines, hasCr }: SearchText, { begin, middle, end }: Marks, number: number): Hunk {
  let from = begin + 1
  while (from < middle && HEAD.test(lines[from] ?? '')) from++
  const start = lines.slice(begin + 1, from).map(line => START_LINE.exec(line)?.[1])
  const oldStart = start.find(value => value !== undefined)
  const search = lines.slice(from, middle)
  return replacingHunk({
    old: search.every(line => line.trim() === '') ? [] : search,
    fresh: lines.slice(middle + 1, end),
    number,
    oldStart: oldStart === undefined ? null : Number(oldStart),
    text: lines.slice(begin, end + 1).join('\n'),
    hasCr: (side, line) => hasCr((side === 'old' ? from : middle + 1) + line),
  })
}

/** Reads lines that hold blocks of SEARCH and REPLACE, and nothing else but names of files. */
class SearchReplaceReader {
  readonly #text: SearchText
  readonly #diffs: FileDiff[] = []
  readonly #problems: EditProblem[] = []
  #path: string | null
  #hasOtherLines = false

  constructor(text: SearchText) {
    this.#text = text
    this.#path = text.path
  }

  read(): { diffs: FileDiff[]; problems: EditProblem[] } {
    const { lines } = this.#text
    for (let at = 0; at < lines.length; at++) {
      if (BEGIN.test(lines[at] ?? '')) at = this.#readBlock(at)
      else this.#readBetween(lines[at] ?? '')
    }
    if (!this.#hasOtherLines) return { diffs: this.#diffs, problems: this.#problems }
    const path = safePath(this.#text.path ?? '')
    const text = lines.slice(0, MAX_LINES_SHOWN).join('\n')
    return { diffs: [], problems: [replyProblem('malformed', OTHER_LINES, { path, text })] }
  }

  /** Reads a line outside of blocks: the name of the next one, or nothing. */
  #readBetween(line: string): void {
    if (line.trim() === '' || /^(?:`{3,}|~{3,})/.test(line.trim())) return
    const name = nameFromLine(line, '')
    if (name === null) this.#hasOtherLines = true
    else this.#path = name.path
  }

  /** Reads a block, and returns its last line. */
  #readBlock(at: number): number {
    const { lines } = this.#text
    const marks = marksAt(lines, at)
    const end = typeof marks === 'string' ? lines.length - 1 : marks.end
    const text = lines.slice(at, Math.min(end + 1, at + MAX_LINES_SHOWN)).join('\n')
    const path = this.#path === null ? null : safePath(this.#path)
    if (marks === 'truncated') {
      const detail = 'This block of SEARCH and REPLACE does not end. Send it again, whole.'
      this.#problems.push(replyProblem('truncated', detail, { path, text }))
    } else if (marks === 'malformed') {
      this.#problems.push(replyProblem('malformed', UNCLEAR_MARKS, { path, text }))
    } else if (this.#path !== null && path === null) {
      this.#problems.push(badPathProblem(this.#path, text))
    } else {
      this.#add(path, marks)
    }
    return end
  }

  #add(path: string | null, marks: Marks): void {
    const last = this.#diffs.at(-1)
    if (last !== undefined && last.newPath === path && path !== null) {
      last.hunks.push(hunkOf(this.#text, marks, last.hunks.length + 1))
      return
    }
    const hunks = [hunkOf(this.#text, marks, 1)]
    const names = { oldPath: path, newPath: path, stripped: false }
    this.#diffs.push({ header: '', ...names, kind: 'change', hunks, line: marks.begin })
  }
}

/** Reads blocks of SEARCH and REPLACE as diffs: what is searched must be in the file. */
export const readSearchReplace = (text: SearchText): { diffs: FileDiff[]; problems: EditProblem[] } =>
  new SearchReplaceReader(text).read()
