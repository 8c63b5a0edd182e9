import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { safePath } from '../../core/safe-path.ts'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

/** The new content of a file; null deletes it. */
export interface FileChange {
  path: string
  content: Buffer | null
}

/** What exists at a path: the bytes of a file, null for nothing, `other` for anything else. */
type Present = Buffer | null | 'other'

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

const lstatOf = (path: string) => lstat(path).catch(missing)

/**
 * The absolute path of a folder.
 *
 * @throws {CliError} USAGE for a path at which something else is.
 */
export async function needFolder(path: string, cwd: string, { mayBeMissing = false } = {}): Promise<string> {
  const folder = resolve(cwd, path)
  const stats = await lstatOf((await realpath(folder).catch(missing)) ?? folder)
  if (stats === null && !mayBeMissing) {
    throw usageError(`There is no folder ${JSON.stringify(path)}.`, 'Name a folder that is there, or go to it first.')
  }
  if (stats !== null && !stats.isDirectory()) {
    throw usageError(`${JSON.stringify(path)} is a file, not a folder.`, 'Name a folder.')
  }
  return folder
}

const badPath = (path: string, problem: string): CliError =>
  new CliError('BAD_PATH', `${JSON.stringify(path.slice(0, 200))} ${problem}; nothing was written.`, {
    exitCode: EXIT.usage,
  })

/** The real folder at a path below the root; null when it is missing, unless `make` creates it. */
async function folderOn(root: string, path: string, { make = false } = {}): Promise<string | null> {
  let at = root
  for (const name of path === '.' ? [] : path.split('/')) {
    at = join(at, name)
    const stats = await lstatOf(at)
    if (stats === null) {
      if (!make) return null
      await mkdir(at)
    } else if (!stats.isDirectory()) {
      throw badPath(path, 'leads through a file or a link')
    }
  }
  if ((await realpath(at)) !== at) throw badPath(path, 'leads out of the folder')
  return at
}

async function presentAt(root: string, path: string): Promise<Present> {
  if (safePath(path) !== path) throw badPath(path, 'is no path that may be written')
  if ((await folderOn(root, dirname(path))) === null) return null
  const at = join(root, path)
  const stats = await lstatOf(at)
  if (stats === null) return null
  if (!stats.isFile()) return 'other'
  await using file = await open(at, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  return await file.readFile()
}

/** The paths whose content is not the expected one (null: nothing). A missing folder contains nothing. */
export async function differing(folder: string, expected: ReadonlyMap<string, Buffer | null>): Promise<string[]> {
  const root = await realpath(folder).catch(missing)
  const found: string[] = []
  for (const [path, content] of expected) {
    const there = root === null ? null : await presentAt(root, path)
    if (there === content || (Buffer.isBuffer(there) && content?.equals(there) === true)) continue
    found.push(path)
  }
  return found
}

async function writeBeside(root: string, path: string, content: Buffer): Promise<string> {
  const folder = (await folderOn(root, dirname(path), { make: true })) ?? root
  const before = await lstatOf(join(root, path))
  const temporary = join(folder, `.faultline-${randomUUID()}.tmp`)
  await using file = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o666,
  )
  await file.writeFile(content)
  if (before?.isFile() === true) await file.chmod(before.mode & 0o777)
  return temporary
}

/**
 * Writes files below a folder, which is created when it is missing: each as a fresh file beside its place and then by a
 * rename, so that no link is followed and no file is half written. None is moved into place before all of them could be
 * written.
 *
 * @throws {CliError} BAD_PATH for a path that leads out of the folder, by its text or by a link on its way.
 */
export async function writeFiles(folder: string, changes: readonly FileChange[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const root = await realpath(folder)
  for (const { path } of changes) {
    if ((await presentAt(root, path)) === 'other' && (await lstatOf(join(root, path)))?.isDirectory() === true) {
      throw badPath(path, 'is a folder')
    }
  }
  const fresh: Array<{ path: string; temporary: string }> = []
  try {
    for (const { path, content } of changes) {
      if (content !== null) fresh.push({ path, temporary: await writeBeside(root, path, content) })
    }
    for (const { path, temporary } of fresh) {
      await folderOn(root, dirname(path))
      await rename(temporary, join(root, path))
    }
  } finally {
    for (const { temporary } of fresh) await rm(temporary, { force: true })
  }
  for (const { path, content } of changes) {
    if (content === null && (await presentAt(root, path)) !== null) await unlink(join(root, path))
  }
}
