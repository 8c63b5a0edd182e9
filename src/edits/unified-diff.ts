import { structuredPatch } from 'diff'

/** Edits between two versions beyond which they are called two different texts: finding the least of them would cost their product. */
const MAX_EDITS = 4000

/**
 * The diff of several files that `git apply` applies, in git's own form, sorted by path.
 *
 * @param after - Files that may differ, by path; null for one that is gone. What is the same is left out.
 */
export function unifiedDiff (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string | null>): string {
  return [...after].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0).map(([path, content]) => fileDiff(path, before.get(path) ?? null, content)).join('')
}

function fileDiff (path: string, before: string | null, after: string | null): string {
  if (before === after) return ''
  const [old, fresh] = [quoted(`a/${path}`), quoted(`b/${path}`)]
  const head = [`diff --git ${old} ${fresh}`, ...before === null ? ['new file mode 100644'] : after === null ? ['deleted file mode 100644'] : []]
  const hunks = hunksOf(before ?? '', after ?? '')
  const names = hunks.length === 0 ? [] : [`--- ${before === null ? '/dev/null' : tabbed(old)}`, `+++ ${after === null ? '/dev/null' : tabbed(fresh)}`]
  return [...head, ...names, ...hunks, ''].join('\n')
}

function hunksOf (before: string, after: string): string[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: MAX_EDITS })
  if (patch === undefined) return replaced(before, after)
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines])
}

const range = (start: number, lines: number): string => lines === 1 ? String(start) : `${start},${lines}`

function replaced (before: string, after: string): string[] {
  const [old, fresh] = [side(before, '-'), side(after, '+')]
  return [`@@ -${range(old.count === 0 ? 0 : 1, old.count)} +${range(fresh.count === 0 ? 0 : 1, fresh.count)} @@`, ...old.lines, ...fresh.lines]
}

function side (text: string, prefix: string): { lines: string[], count: number } {
  if (text === '') return { lines: [], count: 0 }
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  if (isEnded) lines.pop()
  return { lines: [...lines.map(line => prefix + line), ...isEnded ? [] : ['\\ No newline at end of file']], count: lines.length }
}

/** A name with blanks ends in a tab, so that nothing takes a part of it for a date. */
const tabbed = (name: string): string => name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name

/** As git quotes names. */
function quoted (name: string): string {
  if (/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/.test(name)) return name
  const bytes = [...Buffer.from(name)].map(byte => byte < 0x20 || byte > 0x7E ? `\\${byte.toString(8).padStart(3, '0')}` : byte === 0x22 || byte === 0x5C ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte))
  return `"${bytes.join('')}"`
}
