import { beginsDiff, hunkCounts, isFileHeader } from './diff-lines.ts'
import { indentOf } from '../text/indentation.ts'

export interface Fence {
  /** Columns before it. */
  indent: number
  mark: string
  /** What follows the mark, trimmed: a language, a name, or nothing. */
  info: string
}

export type FenceContent = 'diff' | 'markdown' | 'other'

/** How a fence ends: at a line, nowhere, or where nobody can tell. */
export type FenceEnd = { at: number } | { unclosed: true } | { doubtful: string }

const CUT_HUNK =
  'A fence ends this block inside of a hunk, and what follows looks like the rest of it. Begin each line of a hunk with "+", "-" or a blank, and use a longer fence (````).'
const DOUBT =
  'This block holds fences without a language, so that its end cannot be told. Use a longer fence (````) around a file that holds fences.'

/** A line that begins a fence, or ends one when `info` is empty; null for any other line. */
export function readFence(line: string): Fence | null {
  let at = 0
  while (line[at] === ' ' || line[at] === '\t') at++
  const char = line[at]
  if (char !== '`' && char !== '~') return null
  let end = at
  while (line[end] === char) end++
  const info = line.slice(end).trim()
  return end - at < 3 || (char === '`' && info.includes('`')) ? null : { indent: at, mark: line.slice(at, end), info }
}

/** The line as a fence that counts inside of `opener`. */
function fenceOf(line: string | undefined, opener: Fence): Fence | null {
  const fence = line === undefined ? null : readFence(line)
  return fence !== null && fence.mark.startsWith(opener.mark) && fence.indent <= opener.indent ? fence : null
}

/** What a bare fence in a Markdown file does: the blank lines around it tell an opening from an end. */
function bareFenceMeans(
  lines: readonly string[],
  at: number,
  { nested, startsBlock }: { nested: (line: number) => Fence | null; startsBlock: (line: number) => boolean },
): 'opens' | 'closes' | 'doubtful' {
  const isBlank = (i: number): boolean => (lines[i] ?? '').trim() === ''
  if (isBlank(at + 1)) return 'closes'
  const later: number[] = []
  for (let i = at + 1; i < lines.length && later.length < 2; i++) {
    const fence = nested(i)
    if (fence === null) continue
    if (fence.info !== '' || startsBlock(i)) break
    later.push(i)
  }
  const first = later[0]
  if (first === undefined || later.length < 2) return 'closes'
  if (isBlank(at - 1)) return 'opens'
  return isBlank(first - 1) && !isBlank(first + 1) ? 'closes' : 'doubtful'
}

function countLine(line: string, counts: Counts): Counts {
  const header = line.startsWith('@@') ? hunkCounts(line) : null
  if (header !== null) return { old: header.oldCount ?? 0, added: header.newCount ?? 0 }
  if (line.startsWith('-')) return { old: counts.old - 1, added: counts.added }
  if (line.startsWith('+')) return { old: counts.old, added: counts.added - 1 }
  return line.startsWith('\\') ? counts : { old: counts.old - 1, added: counts.added - 1 }
}

/**
 * Whether what follows a fence looks like the rest of the hunk before it: at once, or further on where the counts of
 * the hunk ask for more.
 */
function isCutAt(lines: readonly string[], at: number, { old, added }: Counts): boolean {
  const isShort = old > 0 && added > 0
  if ((isShort ? /^(?:[ +\-@\\]|```|~~~)/ : /^(?:\+|@@| \S|-(?!-{2,}\s*$| \S))/).test(lines[at + 1] ?? '')) return true
  if (!isShort) return false
  for (let i = at + 1; i < lines.length && readFence(lines[i] ?? '') === null && !beginsDiff(lines, i); i++) {
    if (/^\+|^-(?!-{2,}\s*$| \S)/.test(lines[i] ?? '')) return true
  }
  return false
}

/** Where a hunk ends when this fence is taken for a line of it and its counts come out exactly; 0 when they do not. */
function endByCounts(
  lines: readonly string[],
  at: number,
  { counts, opener }: { counts: Counts; opener: Fence },
): number {
  let left = counts
  for (let i = at; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (left.old === 0 && left.added === 0 && !line.startsWith('\\')) {
      const fence = fenceOf(line, opener)
      return (fence !== null && fence.info === '') ||
        line.startsWith('@@') ||
        line.startsWith('diff --git ') ||
        isFileHeader(lines, i)
        ? i
        : 0
    }
    if (left.old < 0 || left.added < 0 || line.startsWith('@@ ') || line.startsWith('diff --git ')) return 0
    left = countLine(line, left)
  }
  return 0
}

/**
 * Where a fence closes: on a bare line of the same character, at least as long and no further indented. Fences with a
 * language inside nest, whatever the file: one that is never closed is then an error, and not a file that swallowed the
 * next one. In Markdown, bare ones that look like an opening nest as well.
 */
export function findFenceEnd(
  lines: readonly string[],
  openedAt: number,
  { opener, content, startsBlock }: { opener: Fence; content: FenceContent; startsBlock: (line: number) => boolean },
): FenceEnd {
  let depth = 1
  let counts = { old: 0, added: 0 }
  let hunkEnd = 0 // fences before it are lines of a hunk whose counts come out
  const nested = (line: number): Fence | null => fenceOf(lines[line], opener)
  for (let i = openedAt + 1; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const fence = nested(i)
    if (content === 'diff') {
      if (fence === null || depth > 1) counts = countLine(line, counts)
      else if (counts.old > 0 && counts.added > 0) {
        if (i >= hunkEnd) hunkEnd = endByCounts(lines, i, { counts, opener })
        if (i < hunkEnd) {
          counts = countLine(line, counts)
          continue
        }
      }
    }
    if (fence === null) continue
    if (fence.info !== '') {
      depth++
      continue
    }
    if (content === 'markdown' && depth === 1) {
      const next = bareFenceMeans(lines, i, { nested, startsBlock })
      if (next === 'doubtful') return { doubtful: DOUBT }
      depth += next === 'opens' ? 1 : -1
    } else {
      depth--
    }
    if (depth > 0) continue
    return content === 'diff' && isCutAt(lines, i, counts) ? { doubtful: CUT_HUNK } : { at: i }
  }
  return { unclosed: true }
}

/** A hunk's counts of lines that are still to come. */
interface Counts {
  old: number
  added: number
}

/** The content of a fence without the indentation of the fence, where all of it has that. */
export function contentOf(
  lines: readonly string[],
  from: number,
  { to, indent }: { to: number; indent: number },
): string[] {
  const content = lines.slice(from, to)
  if (indent === 0 || content.some(line => line.trim() !== '' && indentOf(line).length < indent)) return content
  return content.map(line => line.slice(Math.min(indent, indentOf(line).length)))
}
