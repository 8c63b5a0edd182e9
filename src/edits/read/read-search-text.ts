import type { Region } from '../edit.ts'
import type { Reading } from './reading.ts'
import { readSearchReplace } from './search-replace.ts'

/**
 * Takes lines that hold blocks of SEARCH and REPLACE.
 *
 * @param text - The lines, the number of the first one, and the file that nothing in them names.
 */
export function takeSearchReplace(
  reading: Reading,
  { from, ...text }: { lines: readonly string[]; from: number; path: string | null },
  region: Pick<Region, 'from' | 'to'>,
): void {
  const { diffs, problems } = readSearchReplace({ ...text, hasCr: line => reading.source.hasCr(from + line) })
  reading.take({ diffs: diffs.map(diff => ({ ...diff, line: diff.line + from })), problems })
  reading.lastSearch = { path: diffs.at(-1)?.newPath ?? null, to: region.to }
  reading.note({ ...region, as: diffs.length > 0 ? 'edit' : 'problem' })
}
