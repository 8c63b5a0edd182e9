import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { isSecretName } from '../../core/file-names.ts'
import { FaultlineError } from '../../core/errors.ts'
import { formatBytes } from '../clone/disk-space.ts'
import type { ChangedPath } from './status.ts'

/** What a path is on the disk now: null where nothing is that a repository could hold. */
export interface ChangedFile {
  /** One character a byte. */
  path: string
  stats: BigIntStats | null
}

/** The index has no larger ones, and a copy of each would stay in the clone. */
const MAX_FILE_BYTES = 8n * 1_048_576n
/** The most bytes of all files together: what was copied once stays, and a clone that is too large is of no use. */
const MAX_BYTES = 256n * 1_048_576n
const MAX_UNTRACKED = 20_000
const AT_ONCE = 200
/** Files that were changed so lately may change again without a difference in their times. */
const RACY_MS = 2_000

const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString()

/** The index of a hostile repository can name what it likes. */
const isInside = (path: string): boolean =>
  path.split('/').every(segment => segment !== '' && !/^(?:\.{1,2}|\.git)$/i.test(segment))

const at = (workTree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${workTree}/`), Buffer.from(path, 'latin1')])

function statsOf(workTree: string, path: string): Promise<BigIntStats | null> {
  return lstat(at(workTree, path), { bigint: true }).catch(() => null)
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Tests whether a folder within the work tree is one, with no link on the way to it. */
function createFolderTest(workTree: string): (folder: string) => Promise<boolean> {
  const known = new Map<string, boolean>([['', true]])
  return async function isFolder(folder): Promise<boolean> {
    const found = known.get(folder)
    if (found !== undefined) return found
    const isThere = (await isFolder(parentOf(folder))) && (await statsOf(workTree, folder))?.isDirectory() === true
    known.set(folder, isThere)
    return isThere
  }
}

const tooMuch = (what: string): FaultlineError =>
  new FaultlineError(
    'REPOSITORY_TOO_LARGE',
    what,
    'Name generated and downloaded files in .gitignore, or read the last commit alone: --committed.',
  )

function requireFew(changed: readonly ChangedPath[]): void {
  const untracked = changed.filter(({ isUntracked }) => isUntracked).length
  if (untracked <= MAX_UNTRACKED) return
  throw tooMuch(
    `The work tree holds ${untracked} files that are neither committed nor ignored; at most ${MAX_UNTRACKED} are read.`,
  )
}

function requireSmall(files: readonly ChangedFile[]): void {
  const bytes = files.reduce((sum, { stats }) => sum + (stats?.size ?? 0n), 0n)
  if (bytes <= MAX_BYTES) return
  const [found, most] = [bytes, MAX_BYTES].map(number => formatBytes(Number(number)))
  throw tooMuch(`The files of the work tree that differ from its last commit hold ${found}; at most ${most} are read.`)
}

/**
 * Looks at what changed, on the disk. Links are not followed, neither the last part of a path nor those on the way to
 * it. Names of secrets are left out, so that such files stay as they were committed. A file that is too large to be
 * indexed counts as gone.
 *
 * @throws {FaultlineError} REPOSITORY_TOO_LARGE: there are more untracked files, or bytes, than a person would write.
 */
export async function lookAtChanged(workTree: string, changed: readonly ChangedPath[]): Promise<ChangedFile[]> {
  requireFew(changed)
  const isFolder = createFolderTest(workTree)
  async function look({ path }: ChangedPath): Promise<ChangedFile> {
    const stats = (await isFolder(parentOf(path))) ? await statsOf(workTree, path) : null
    const isFile = stats?.isFile() === true && stats.size <= MAX_FILE_BYTES
    return { path, stats: isFile || stats?.isSymbolicLink() === true ? stats : null }
  }
  const wanted = changed.filter(({ path }) => isInside(path) && !isSecretName(utf8(path)))
  const found: ChangedFile[] = []
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    found.push(...(await Promise.all(wanted.slice(from, from + AT_ONCE).map(look))))
  }
  requireSmall(found)
  return found
}

/**
 * A checksum that is another one when any of the files changed. Null where that cannot be told, because one of them was
 * changed a moment ago.
 *
 * @param scope - What else decides how the files are read.
 */
export function fingerprintOf(files: readonly ChangedFile[], scope: string, now: number): string | null {
  const latest = BigInt(Math.floor(now) - RACY_MS)
  if (files.some(({ stats }) => stats !== null && (stats.mtimeMs > latest || stats.ctimeMs > latest))) return null
  const hash = createHash('sha256').update(scope)
  for (const { path, stats } of files) {
    const known = stats === null ? [] : [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino, stats.mode]
    hash.update(JSON.stringify([path, ...known.map(String)]))
  }
  return hash.digest('base64')
}
