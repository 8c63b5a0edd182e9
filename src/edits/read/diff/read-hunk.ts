import type { Hunk, HunkLine } from '../../edit.ts'
import { hunkCounts, isFileHeader, isGitHeaderAt, isHunkHeader, type HunkCounts } from './diff-lines.ts'
import type { DiffText } from './diff-text.ts'
import { areChanges, beginsProse, changesFollow, isBetweenDiffs, type LinesLeft } from './hunk-end.ts'
import { isNewlineMarker } from './newline-marker.ts'

function hunkLine(line: string, hasCr: boolean): HunkLine {
  const first = line[0]
  const kind = first === '+' || first === '-' ? first : ' '
  const isPrefixed = kind !== ' ' || first === ' '
  return { kind, text: isPrefixed ? line.slice(1) : line, raw: line, hasCr, noNewline: false }
}

/** The number of lines at the end of a hunk that may be prose: a blank one, then only lines without prefix. */
function proseAtEnd(lines: readonly HunkLine[]): number {
  let from = lines.length
  while (from > 0 && /^[^ +-]|^$/.test(lines[from - 1]?.raw ?? ' ')) from--
  const blank = lines.findIndex((line, i) => i >= from && line.raw === '')
  return blank < 0 ? 0 : lines.length - blank
}

/** Reads one hunk, line by line, and keeps count of what its header asks for. */
class HunkReader {
  readonly #text: DiffText
  readonly #from: number
  readonly #counts: HunkCounts
  readonly #left: LinesLeft
  readonly #lines: HunkLine[] = []
  #at: number
  #spills = false

  constructor(text: DiffText, from: number) {
    this.#text = text
    this.#from = from
    const first = text.lines[from] ?? ''
    const header = isHunkHeader(first) ? first : ''
    this.#counts = hunkCounts(header)
    this.#left = { old: this.#counts.oldCount ?? 0, added: this.#counts.newCount ?? 0 }
    this.#at = header === '' ? from : from + 1
  }

  read(number: number): { hunk: Hunk; next: number } {
    const { lines, end, within } = this.#text
    for (; this.#at < end && !this.#endsHere(); this.#at++) this.#take()
    this.#dropBlankLines()
    return {
      next: this.#at,
      hunk: {
        number,
        ...this.#counts,
        lines: this.#lines,
        doubtfulTail: within === 'prose' ? proseAtEnd(this.#lines) : 0,
        spills: this.#spills,
        text: lines.slice(this.#from, this.#at).join('\n').trimEnd(),
      },
    }
  }

  get #isCounted(): boolean {
    return this.#counts.oldCount !== null
  }

  /** Whether the hunk ends before this line. Notes whether changes follow that it does not hold. */
  #endsHere(): boolean {
    if (this.#beginsNext()) return true
    const isProse = this.#text.within === 'prose'
    const isSpent = this.#left.old <= 0 && this.#left.added <= 0
    const isOver =
      (isSpent && isBetweenDiffs(this.#text.lines, this.#at)) ||
      (isProse && beginsProse(this.#text, this.#at, { isCounted: this.#isCounted, isSpent }))
    if (isOver) this.#spills = isProse && changesFollow(this.#text, this.#at)
    return isOver
  }

  /** Whether the next hunk or the next file begins here. */
  #beginsNext(): boolean {
    const { lines, within } = this.#text
    const line = lines[this.#at] ?? ''
    if (isHunkHeader(line) || isGitHeaderAt(lines, this.#at)) return true
    if (within === 'envelope' && line.startsWith('*** ')) return true
    return isFileHeader(lines, this.#at) && !areChanges(this.#text, this.#at, this.#isCounted ? this.#left : null)
  }

  #take(): void {
    const last = this.#lines.at(-1)
    if (last !== undefined && isNewlineMarker(this.#text, this.#at, last)) {
      last.noNewline = true
      return
    }
    const line = hunkLine(this.#text.lines[this.#at] ?? '', this.#text.hasCr(this.#at))
    if (line.kind !== '+') this.#left.old--
    if (line.kind !== '-') this.#left.added--
    this.#lines.push(line)
  }

  /**
   * Drops the blank lines at the end that the counts do not ask for: they part this hunk from what follows. Counts that
   * ask for more than there is are wrong, and keep none.
   */
  #dropBlankLines(): void {
    let blanks = 0
    while (this.#lines.at(-1 - blanks)?.raw === '') blanks++
    const { old, added } = this.#left
    const keepsNone = !this.#isCounted || Math.max(old, added) > 0 || this.#lines.at(-1 - blanks)?.noNewline === true
    const kept = keepsNone ? 0 : Math.max(0, blanks + Math.min(old, added))
    this.#lines.length -= blanks - kept
  }
}

/**
 * Reads the hunk whose header, if it has one, stands at `from`. Counts decide only what might as well be the header of
 * the next file, and where blank lines at the end belong.
 */
export function readHunk(text: DiffText, from: number, number: number): { hunk: Hunk; next: number } {
  return new HunkReader(text, from).read(number)
}
