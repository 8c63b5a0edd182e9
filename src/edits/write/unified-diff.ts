import { structuredPatch } from 'diff'

/**
 * Two versions with more edits than this between them are shown as one hunk from their first difference to their last:
 * the time to find the shortest diff grows with the square of the edits.
 */
const MAX_EDITS = 2000
const CONTEXT = 3

/** The number of lines that only one of the versions has: no diff of them has fewer edits. */
function leastEdits(old: readonly string[], fresh: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const line of old) counts.set(line, (counts.get(line) ?? 0) + 1)
  let common = 0
  for (const line of fresh) {
    const left = counts.get(line) ?? 0
    if (left === 0) continue
    common++
    counts.set(line, left - 1)
  }
  return old.length + fresh.length - 2 * common
}

const range = (start: number, lines: number): string => (lines === 1 ? String(start) : `${start},${lines}`)

/** One hunk from the first line that differs to the last. */
function replaced(old: readonly string[], fresh: readonly string[]): string[] {
  const shorter = Math.min(old.length, fresh.length)
  let head = 0
  while (head < shorter && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  const from = Math.max(0, head - CONTEXT)
  const [oldEnd, freshEnd] = [old.length - tail, fresh.length - tail]
  const behind = Math.min(CONTEXT, tail)
  const sideRange = (end: number): string => range(end + behind === 0 ? 0 : from + 1, end + behind - from)
  return [
    `@@ -${sideRange(oldEnd)} +${sideRange(freshEnd)} @@`,
    ...[
      ...old.slice(from, head).map(line => ` ${line}`),
      ...old.slice(head, oldEnd).map(line => `-${line}`),
      ...fresh.slice(head, freshEnd).map(line => `+${line}`),
      ...old.slice(oldEnd, oldEnd + behind).map(line => ` ${line}`),
    ].flatMap(line => (line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file'])),
  ]
}

/** The lines of a text with their ends, so that a last line without one differs. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

function hunksOf(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const patch =
    leastEdits(old, fresh) > MAX_EDITS
      ? undefined
      : structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: MAX_EDITS })
  if (patch === undefined) return replaced(old, fresh)
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines,
  ])
}

/** A name with blanks gets a tab at its end, so that nothing takes a part of it for a date. */
const tabbed = (name: string): string => (name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name)

/** ASCII without control characters, quotes and backslashes. */
const NEEDS_NO_QUOTES = /^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/

/** One byte of a quoted name: in octal, behind a backslash, or as it is. */
function quotedByte(byte: number): string {
  if (byte < 0x20 || byte > 0x7e) return `\\${byte.toString(8).padStart(3, '0')}`
  const char = String.fromCharCode(byte)
  return char === '"' || char === '\\' ? `\\${char}` : char
}

/** A name in the form in which git writes it in a diff. */
function quoted(name: string): string {
  if (NEEDS_NO_QUOTES.test(name)) return name
  return `"${Array.from(Buffer.from(name), quotedByte).join('')}"`
}

/** The line of git that says that a file is new or gone; none for one that changes. */
function modeLines(before: string | null, after: string | null): string[] {
  if (before === null) return ['new file mode 100644']
  return after === null ? ['deleted file mode 100644'] : []
}

function fileDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return ''
  const [old, fresh] = [quoted(`a/${path}`), quoted(`b/${path}`)]
  const head = [`diff --git ${old} ${fresh}`, ...modeLines(before, after)]
  const hunks = hunksOf(before ?? '', after ?? '')
  if (hunks.length > 0) {
    head.push(`--- ${before === null ? '/dev/null' : tabbed(old)}`)
    head.push(`+++ ${after === null ? '/dev/null' : tabbed(fresh)}`)
  }
  return [...head, ...hunks, ''].join('\n')
}

/**
 * The diff of several files that `git apply` applies, in git's own form, sorted by path.
 *
 * @param after - Files that may differ, by path; null for one that is gone. What is the same is left out.
 */
export function unifiedDiff(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string | null>): string {
  return [...after]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, content]) => fileDiff(path, before.get(path) ?? null, content))
    .join('')
}
