import { beginsDiff, hunkCounts, isFileHeader, isGitHeaderAt, isHunkHeader } from './diff-lines.ts'
import type { Hunk, HunkLine } from '../edit.ts'
import { readFence } from './fence-lines.ts'

/** Lines after a marker that may show that it is none. */
const MAX_AFTER_MARKER = 8
/** More blank lines than these end a hunk in prose. */
const MAX_BLANKS = 16

/** Of a last line without an end, in any language; other lines with a backslash are of the file. */
const MARKER = /^\\ (?:no newline at (?:the )?end of (?:the )?file|[^\s\d]+(?: [^\s\d]+){3,8}?)\.?\s*$/i

export interface DiffText {
  lines: readonly string[]
  /** Whether the end of that line belongs to the file. */
  hasCr: (line: number) => boolean
  /** The first line after the text. */
  end: number
  /**
   * `prose`: what follows may be prose, so a hunk ends where its counts say so or where prose begins. `envelope`: `***`
   * lines end hunks.
   */
  within: 'fence' | 'prose' | 'envelope'
}

function hunkLine(line: string, hasCr: boolean): HunkLine {
  const first = line[0]
  const kind = first === '+' || first === '-' ? first : ' '
  return {
    kind,
    text: first === '+' || first === '-' || first === ' ' ? line.slice(1) : line,
    raw: line,
    hasCr,
    noNewline: false,
  }
}

/** Whether a marker stands where a side of a hunk can end: no line of that side follows it. */
function endsSide({ lines, end }: DiffText, at: number, last: HunkLine | undefined): boolean {
  if (last === undefined) return false
  for (let i = at + 1; i < end && i <= at + MAX_AFTER_MARKER; i++) {
    const line = lines[i] ?? ''
    if (
      isHunkHeader(line) ||
      isGitHeaderAt(lines, i) ||
      line === '' ||
      MARKER.test(line) ||
      isFileHeader(lines, i) ||
      readFence(line) !== null ||
      line.startsWith('*** ')
    ) {
      return true
    }
    if (
      line.startsWith(' ') ||
      (last.kind !== '+' && line.startsWith('-')) ||
      (last.kind !== '-' && line.startsWith('+'))
    ) {
      return false
    }
  }
  return true
}

const pathOf = (line: string | undefined): string =>
  (line ?? '')
    .slice(4)
    .trim()
    .replace(/^[ab]\//, '')

/** Whether two lines that look like names of a file are a removed and an added line: `-- x` and `++ y` in the file. */
function isContent({ lines }: DiffText, at: number, counts: { old: number; added: number } | null): boolean {
  const endsHere = isHunkHeader(lines[at + 2] ?? '')
  if (counts !== null) return endsHere ? counts.old === 1 && counts.added === 1 : counts.old > 0 && counts.added > 0
  return !endsHere && pathOf(lines[at]) !== pathOf(lines[at + 1])
}

/** What stands between the diffs of two files, or after the last one: alone, or with the next one's names after it. */
function isNextDiff(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (/^-- ?$/.test(line)) return /^\d+\.\d+/.test(lines[at + 1] ?? '')
  if (!/^(?:index [0-9a-f]{4,40}\.\.|Index: |={20,}$|Only in .+: |Binary files .+ differ$)/.test(line)) return false
  const next = lines[at + 1] ?? ''
  return (
    next.trim() === '' ||
    isGitHeaderAt(lines, at + 1) ||
    isFileHeader(lines, at + 1) ||
    /^(?:={20,}$|Only in |Binary files |diff )/.test(next)
  )
}

function endsInProse(
  { lines, end }: DiffText,
  at: number,
  { counted, isSpent }: { counted: boolean; isSpent: boolean },
): boolean {
  const line = lines[at] ?? ''
  const isPrefixed = /^[ +\-\\]/.test(line)
  if (counted && !isSpent) return false
  if (readFence(line) !== null && !isPrefixed) return true
  if (counted) return !isPrefixed
  if (line.trim() !== '') return false
  let next = at
  while (next < end && next - at < MAX_BLANKS && (lines[next] ?? '').trim() === '') next++
  return next > at && next < end && !/^[ +\-\\@]/.test(lines[next] ?? '')
}

/**
 * Whether what is taken for prose holds lines that look like changes, and not like the items of a list; behind a bare
 * fence, which may be a line of the file, items count, too.
 */
function changesFollow({ lines, end }: DiffText, from: number): boolean {
  let first = from
  while (first < end && (lines[first] ?? '').trim() === '') first++
  const opening = readFence(lines[first] ?? '')
  const isBehindFence = opening !== null && (first === from || opening.info === '')
  for (let at = from; at < end && !beginsDiff(lines, at); at++) {
    const line = lines[at] ?? ''
    const fence = readFence(line)
    if (fence !== null && fence.info !== '' && !(at === first && isBehindFence)) return false
    if ((isBehindFence ? /^[+-](?!-{2,}\s*$)/ : /^\+|^-(?!-{2,}\s*$| \S)/).test(line) && !isNextDiff(lines, at)) {
      return true
    }
  }
  return false
}

/** Lines at the end of a hunk that may be prose: a blank one, then only lines without prefix. */
function proseAtEnd(lines: readonly HunkLine[]): number {
  let from = lines.length
  while (from > 0 && /^[^ +-]|^$/.test(lines[from - 1]?.raw ?? ' ')) from--
  const blank = lines.findIndex((line, i) => i >= from && line.raw === '')
  return blank < 0 ? 0 : lines.length - blank
}

/**
 * Reads the hunk whose header, if it has one, stands at `from`. Counts decide only what might as well be the header of
 * the next file, and where blank lines at the end belong.
 */
export function readHunk(text: DiffText, from: number, number: number): { hunk: Hunk; next: number } {
  const { lines, end, within, hasCr } = text
  const hasHeader = isHunkHeader(lines[from] ?? '')
  const counts = hunkCounts(hasHeader ? (lines[from] ?? '') : '')
  let old = counts.oldCount ?? 0
  let added = counts.newCount ?? 0
  const counted = counts.oldCount !== null
  const read: HunkLine[] = []
  let at = hasHeader ? from + 1 : from
  let spills = false
  for (; at < end; at++) {
    const line = lines[at] ?? ''
    if (isHunkHeader(line) || isGitHeaderAt(lines, at)) break
    if (within === 'envelope' && line.startsWith('*** ')) break
    if (isFileHeader(lines, at) && !isContent(text, at, counted ? { old, added } : null)) break
    const isSpent = old <= 0 && added <= 0
    if (isSpent && isNextDiff(lines, at)) {
      spills = within === 'prose' && changesFollow(text, at)
      break
    }
    if (within === 'prose' && endsInProse(text, at, { counted, isSpent })) {
      spills = changesFollow(text, at)
      break
    }
    if (MARKER.test(line) && endsSide(text, at, read.at(-1))) {
      const last = read.at(-1)
      if (last !== undefined) last.noNewline = true
      continue
    }
    const entry = hunkLine(line, hasCr(at))
    if (entry.kind !== '+') old--
    if (entry.kind !== '-') added--
    read.push(entry)
  }
  let blanks = 0
  while (read.at(-1 - blanks)?.raw === '') blanks++
  // Blank lines that the counts do not ask for part this hunk from what follows; counts that ask for more are wrong.
  const kept =
    !counted || Math.max(old, added) > 0 || read.at(-1 - blanks)?.noNewline === true
      ? 0
      : Math.max(0, blanks + Math.min(old, added))
  read.length -= blanks - kept
  return {
    next: at,
    hunk: {
      number,
      ...counts,
      lines: read,
      doubtfulTail: within === 'prose' ? proseAtEnd(read) : 0,
      spills,
      text: lines.slice(from, at).join('\n').trimEnd(),
    },
  }
}
