import type { DiffHeader } from './diff-header.ts'
import type { DiffName } from './diff-name.ts'

/** The names of a file before and after a diff; null for `/dev/null`. */
export interface DiffSides {
  old: string | null
  fresh: string | null
  /** Whether `a/` and `b/` were removed. */
  stripped: boolean
}

/** The name of one side: of a rename first, then of its own line, then of git's. */
function nameOf(header: DiffHeader, side: 'old' | 'new'): DiffName | undefined {
  const fromGit = header.git?.[side]
  if (header.moved !== null && fromGit !== undefined) return fromGit
  return header[side] === undefined ? fromGit : header[side]
}

/** The name of a side; where its line is missing, that of the other side, but not `/dev/null`. */
const orOther = (name: DiffName | undefined, other: DiffName | undefined): DiffName | undefined =>
  name === undefined && other !== null ? other : name

const hasPrefix = (name: DiffName, prefix: string): boolean => name === null || name.startsWith(prefix)

/**
 * Returns the names of the file that a diff is of; null where nothing says which one. `a/` and `b/` are removed only as
 * a pair; `/dev/null` goes with either.
 *
 * @param header - null for hunks without one.
 * @param fallback - The file that hunks without names are of; null when nothing says.
 */
export function sidesOf(header: DiffHeader | null, fallback: string | null): DiffSides | null {
  if (header === null) return fallback === null ? null : { old: fallback, fresh: fallback, stripped: false }
  const ownOld = nameOf(header, 'old')
  const ownFresh = nameOf(header, 'new')
  const old = orOther(ownOld, ownFresh)
  const fresh = orOther(ownFresh, ownOld)
  if (old === undefined || fresh === undefined) {
    // No line names a file.
    if (fallback === null) return null
    return { old: old === null ? null : fallback, fresh: fresh === null ? null : fallback, stripped: false }
  }
  const stripped = hasPrefix(old, 'a/') && hasPrefix(fresh, 'b/')
  const strip = (name: DiffName): DiffName => (name !== null && stripped ? name.slice(2) : name)
  return { old: strip(old), fresh: strip(fresh), stripped }
}
