import { structuredPatch } from 'diff'

/**
 * Edits between two versions beyond which what lies between their first and last change is shown as replaced: finding
 * the least of them costs their square.
 */
const MAX_EDITS = 2000
const CONTEXT = 3

/** As many lines as only one of the versions has are edits in any case. */
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

/** With their ends, so that a last line without one differs. */
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

/** A name with blanks ends in a tab, so that nothing takes a part of it for a date. */
const tabbed = (name: string): string => (name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name)

/** As git quotes names. */
function quoted(name: string): string {
  if (/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/.test(name)) return name
  const bytes = [...Buffer.from(name)].map(byte =>
    byte < 0x20 || byte > 0x7e
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : byte === 0x22 || byte === 0x5c
        ? `\\${String.fromCharCode(byte)}`
        : String.fromCharCode(byte),
  )
  return `"${bytes.join('')}"`
}

function fileDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return ''
  const [old, fresh] = [quoted(`a/${path}`), quoted(`b/${path}`)]
  const head = [
    `diff --git ${old} ${fresh}`,
    ...(before === null ? ['new file mode 100644'] : after === null ? ['deleted file mode 100644'] : []),
  ]
  const hunks = hunksOf(before ?? '', after ?? '')
  const names =
    hunks.length === 0
      ? []
      : [`--- ${before === null ? '/dev/null' : tabbed(old)}`, `+++ ${after === null ? '/dev/null' : tabbed(fresh)}`]
  return [...head, ...names, ...hunks, ''].join('\n')
}

/**
 * The diff of several files that `git apply` applies, in git's own form, sorted by path.
 *
 * @param after - Files that may differ, by path; null for one that is gone. What is the same is left out.
 */
export function unifiedDiff(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string | null>): string {
  return [...after]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([path, content]) => fileDiff(path, before.get(path) ?? null, content))
    .join('')
}
