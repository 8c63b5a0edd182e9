/** More than file systems take. */
const MAX_PATH_CHARS = 1024
const MAX_SEGMENT_BYTES = 255
/** Absolute, a home folder, a drive, a share (two slashes begin absolutely), a URL. */
const FROM_ELSEWHERE = /^(?:\/|~|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*:\/)/
const CONTROL = /\p{Cc}/u
/** What file systems leave out of a name before they compare it. */
const IGNORED_IN_NAMES = /\p{Default_Ignorable_Code_Point}/gu
/** `.git`, and what opens it on file systems that know short names and streams. */
const GIT_FOLDER = /^(?:\.git|git~\d+)(?:[ .]*|:.*)$/i

function isRefused(segment: string): boolean {
  return (
    GIT_FOLDER.test(segment.normalize('NFKC').replace(IGNORED_IN_NAMES, '')) ||
    segment.trim() === '' ||
    Buffer.byteLength(segment) > MAX_SEGMENT_BYTES
  )
}

/**
 * The gate that every path from outside passes: a model's, a client's. Pure: symbolic links are checked again by real
 * path where a file is written.
 *
 * @returns The path in its one spelling, relative and `/`-separated, without `.`, `..` and empty segments; null for a
 * path that is absolute, leaves its root, enters a `.git` folder at any depth, names no file, or holds what no file
 * name should. `.github`, `.gitignore` and `a..b` are fine.
 */
export function safePath(path: string): string | null {
  if (path === '' || path.length > MAX_PATH_CHARS || CONTROL.test(path) || !path.isWellFormed()) return null
  const slashed = path.replaceAll('\\', '/')
  if (FROM_ELSEWHERE.test(slashed) || /\/\.*$/.test(slashed)) return null
  const kept: string[] = []
  for (const segment of slashed.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') kept.push(segment)
    else if (kept.pop() === undefined) return null
  }
  const spelled = kept.join('/')
  return spelled === '' || FROM_ELSEWHERE.test(spelled) || kept.some(isRefused) ? null : spelled
}
