import { beginsDiff, hunkCounts, isFileHeader } from './diff/diff-lines.ts'
import { readFence, type Fence, type FenceContent } from './fence-lines.ts'

/** The end of a fence: its line, or none, or the reason why it cannot be told. */
export type FenceEnd = { at: number } | { unclosed: true } | { doubtful: string }

/** The lines of a hunk that are still to come, as its header counts them. */
interface LinesLeft {
  old: number
  added: number
}

interface FenceOptions {
  opener: Fence
  content: FenceContent
  /** Whether the fence at this line opens a block of its own. */
  startsBlock: (line: number) => boolean
}

const CUT_HUNK =
  'A fence ends this block inside of a hunk, and what follows looks like the rest of it. ' +
  'Begin each line of a hunk with "+", "-" or a blank, and use a longer fence (````).'
const DOUBT =
  'This block holds fences without a language, so that its end cannot be told. ' +
  'Use a longer fence (````) around a file that holds fences.'

/** Beginnings of lines that go on with a hunk whose counts ask for more lines. */
const GOES_ON = /^(?:[ +\-@\\]|```|~~~)/
/** Beginnings of lines that go on with a hunk whose counts ask for none: neither prose nor lists begin so. */
const GOES_ON_CLEARLY = /^(?:\+|@@| \S|-(?!-{2,}\s*$| \S))/
const CHANGE = /^\+|^-(?!-{2,}\s*$| \S)/

/** The line as a fence that counts inside of `opener`. */
function fenceWithin(line: string, opener: Fence): Fence | null {
  const fence = readFence(line)
  return fence !== null && fence.mark.startsWith(opener.mark) && fence.indent <= opener.indent ? fence : null
}

function countLine(line: string, left: LinesLeft): LinesLeft {
  if (line.startsWith('@@')) {
    const header = hunkCounts(line)
    return { old: header.oldCount ?? 0, added: header.newCount ?? 0 }
  }
  if (line.startsWith('-')) return { old: left.old - 1, added: left.added }
  if (line.startsWith('+')) return { old: left.old, added: left.added - 1 }
  return line.startsWith('\\') ? left : { old: left.old - 1, added: left.added - 1 }
}

/**
 * Whether what follows a fence looks like the rest of the hunk before it: at once, or further on where the counts of
 * the hunk ask for more.
 */
function isCutAt(lines: readonly string[], at: number, { old, added }: LinesLeft): boolean {
  const isShort = old > 0 && added > 0
  const rest = isShort ? GOES_ON : GOES_ON_CLEARLY
  if (rest.test(lines[at + 1] ?? '')) return true
  if (!isShort) return false
  for (let i = at + 1; i < lines.length && readFence(lines[i] ?? '') === null && !beginsDiff(lines, i); i++) {
    if (CHANGE.test(lines[i] ?? '')) return true
  }
  return false
}

/** Whether a hunk may end before this line: at the closing fence, the next hunk or the next file. */
function mayEndHunk(lines: readonly string[], at: number, opener: Fence): boolean {
  const line = lines[at] ?? ''
  const fence = fenceWithin(line, opener)
  if (fence !== null && fence.info === '') return true
  return line.startsWith('@@') || line.startsWith('diff --git ') || isFileHeader(lines, at)
}

/** The end of a hunk of which this fence is a line, when its counts come out exactly; 0 when they do not. */
function endByCounts(
  lines: readonly string[],
  at: number,
  { counts, opener }: { counts: LinesLeft; opener: Fence },
): number {
  let left = counts
  for (let i = at; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (left.old === 0 && left.added === 0 && !line.startsWith('\\')) return mayEndHunk(lines, i, opener) ? i : 0
    if (left.old < 0 || left.added < 0 || line.startsWith('@@ ') || line.startsWith('diff --git ')) return 0
    left = countLine(line, left)
  }
  return 0
}

/** One pass over the lines behind an opening fence. */
class FenceReader {
  readonly #lines: readonly string[]
  readonly #options: FenceOptions
  /** The number of open fences. */
  #depth = 1
  /** The lines that the last hunk still asks for. */
  #left: LinesLeft = { old: 0, added: 0 }
  /** Fences before this line belong to a hunk whose counts come out. */
  #hunkEnd = 0

  constructor(lines: readonly string[], options: FenceOptions) {
    this.#lines = lines
    this.#options = options
  }

  findEnd(openedAt: number): FenceEnd {
    const isDiff = this.#options.content === 'diff'
    for (let i = openedAt + 1; i < this.#lines.length; i++) {
      const fence = this.#fenceAt(i)
      if (isDiff && this.#isLineOfHunk(i, fence)) continue
      if (fence === null) continue
      const meaning = this.#meaningOf(fence, i)
      if (meaning === 'doubtful') return { doubtful: DOUBT }
      this.#depth += meaning === 'opens' ? 1 : -1
      if (this.#depth > 0) continue
      return isDiff && isCutAt(this.#lines, i, this.#left) ? { doubtful: CUT_HUNK } : { at: i }
    }
    return { unclosed: true }
  }

  #fenceAt(at: number): Fence | null {
    return fenceWithin(this.#lines[at] ?? '', this.#options.opener)
  }

  /** Counts a line of a diff; true for a fence that is a line of a hunk and closes nothing. */
  #isLineOfHunk(at: number, fence: Fence | null): boolean {
    const lines = this.#lines
    const isCountedLine = fence === null || this.#depth > 1
    if (!isCountedLine) {
      if (this.#left.old <= 0 || this.#left.added <= 0) return false
      if (at >= this.#hunkEnd) {
        this.#hunkEnd = endByCounts(lines, at, { counts: this.#left, opener: this.#options.opener })
      }
      if (at >= this.#hunkEnd) return false
    }
    this.#left = countLine(lines[at] ?? '', this.#left)
    return !isCountedLine
  }

  #meaningOf(fence: Fence, at: number): 'opens' | 'closes' | 'doubtful' {
    if (fence.info !== '') return 'opens'
    return this.#options.content === 'markdown' && this.#depth === 1 ? this.#bareFenceMeans(at) : 'closes'
  }

  /** Whether a bare fence in a Markdown file opens or closes: the blank lines around it tell. */
  #bareFenceMeans(at: number): 'opens' | 'closes' | 'doubtful' {
    const isBlank = (i: number): boolean => (this.#lines[i] ?? '').trim() === ''
    if (isBlank(at + 1)) return 'closes'
    const [first, second] = this.#nextBareFences(at)
    if (first === undefined || second === undefined) return 'closes'
    if (isBlank(at - 1)) return 'opens'
    return isBlank(first - 1) && !isBlank(first + 1) ? 'closes' : 'doubtful'
  }

  /** The next bare fences, two at most, before one that opens a block. */
  #nextBareFences(at: number): number[] {
    const found: number[] = []
    for (let i = at + 1; i < this.#lines.length && found.length < 2; i++) {
      const fence = this.#fenceAt(i)
      if (fence === null) continue
      if (fence.info !== '' || this.#options.startsBlock(i)) break
      found.push(i)
    }
    return found
  }
}

/**
 * Finds where a fence closes: on a bare line of the same character, at least as long and no further indented. Fences
 * with a language inside nest, whatever the file: one that is never closed is then an error, and not a file that
 * swallowed the next one. In Markdown, bare ones that look like an opening nest as well.
 */
export function findFenceEnd(lines: readonly string[], openedAt: number, options: FenceOptions): FenceEnd {
  return new FenceReader(lines, options).findEnd(openedAt)
}
