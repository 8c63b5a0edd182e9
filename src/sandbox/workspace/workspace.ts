import { randomUUID } from 'node:crypto'
import { closeSync, constants, fchmodSync, fchownSync, lchownSync, openSync, readdirSync, writeSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FaultlineError } from '../../core/errors.ts'
import { safePath } from '../../core/safe-path.ts'
import type { Account } from '../jail/account.ts'

/** May be passed, but not listed: what the sandbox's account needs on the way to its own folder. */
const ON_THE_WAY = 0o711
const OWN_FOLDER = 0o700
const OWNER_BITS = 0o700

/** Where workspaces lie, and which account owns them. */
export interface WorkspaceOwner {
  /** The folder of all workspaces. */
  workspacesDir: string
  account: Account | null
  /** The server's own folders that may be on the way: opened for passing. */
  ownFolders?: readonly string[]
}

/**
 * The absolute path of a workspace.
 *
 * @throws {Error} It is not below the folder for workspaces: a bug of the caller, since no client names folders.
 */
export function checkWorkspace(workspacesDir: string, dir: string): string {
  const inside = relative(workspacesDir, resolve(dir))
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new Error('a workspace has to lie below WORKSPACES_DIR')
  }
  return resolve(dir)
}

const onlyIf =
  (code: string) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== code) throw error
  }

async function folderFor(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch(onlyIf('EEXIST'))
  const { mode: found } = await lstat(path)
  // the umask, or a program that closed its own folder
  if ((found & mode) !== mode) await chmod(path, (found & 0o777) | mode)
}

/** Files written or given away before other work of the process gets its turn, some milliseconds' worth. */
const FILES_AT_ONCE = 50
const SLASH = Buffer.from('/')

/**
 * Gives a folder and everything in it to an account; a link itself, not what it points to. No program may run in it
 * meanwhile. Synchronous, for a process that does it takes as long as a thousand files.
 */
async function giveAway(dir: string, { uid, gid }: Account): Promise<void> {
  const folders = [Buffer.from(dir)] // names of files may be no text
  let given = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([folder, SLASH, entry.name])
      lchownSync(path, uid, gid)
      if (entry.isDirectory()) folders.push(path)
      if (++given % FILES_AT_ONCE === 0) await nextTurn()
    }
  }
  lchownSync(dir, uid, gid) // last: by its owner it is known whether all of it was given
}

/** Makes the folder when it is missing, and gives it and everything in it to the account of the jail's programs. */
export async function prepareWorkspace(
  { workspacesDir, account, ownFolders = [] }: WorkspaceOwner,
  dir: string,
): Promise<void> {
  const steps = relative(workspacesDir, checkWorkspace(workspacesDir, dir)).split(sep)
  await mkdir(workspacesDir, { recursive: true, mode: ON_THE_WAY })
  if (account !== null) {
    for (const folder of ownFolders) {
      if (`${workspacesDir}/`.startsWith(`${folder}/`)) await folderFor(folder, ON_THE_WAY)
    }
  }
  for (let at = 1; at < steps.length; at++) await folderFor(join(workspacesDir, ...steps.slice(0, at)), ON_THE_WAY)
  await folderFor(dir, OWN_FOLDER)
  if (account !== null && (await lstat(dir)).uid !== account.uid) {
    await giveAway(dir, account)
  }
}

/** Makes the folders on the way to a file, and checks each existing one: a link is never followed. */
async function parentFolder(
  owner: WorkspaceOwner,
  folder: string,
  { known, path }: { known: Set<string>; path: string },
): Promise<void> {
  if (known.has(folder)) return
  await parentFolder(owner, dirname(folder), { known, path })
  const isNew = await mkdir(folder, { mode: 0o755 }).then(() => true, onlyIf('EEXIST'))
  const found = await lstat(folder)
  if (!found.isDirectory()) {
    throw new FaultlineError(
      'BAD_PATH',
      `${JSON.stringify(path)} leads through something that is no folder.`,
      'Use another path, or delete what is there.',
    )
  }
  if (isNew === true && owner.account !== null) await chown(folder, owner.account.uid, owner.account.gid)
  if ((found.mode & OWNER_BITS) !== OWNER_BITS) await chmod(folder, (found.mode & 0o777) | OWNER_BITS)
  known.add(folder)
}

function newMode(content: string | Uint8Array): number {
  const isScript = typeof content === 'string' ? content.startsWith('#!') : content[0] === 0x23 && content[1] === 0x21
  return isScript ? 0o755 : 0o644
}

/**
 * Writes a file where nothing is yet; returns false where something is. Synchronous: some hundred small files take a
 * few milliseconds so, and several hundred otherwise.
 */
function writeNew({ account }: WorkspaceOwner, target: string, content: string | Uint8Array): boolean {
  let file: number
  try {
    file = openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  } catch (error) {
    onlyIf('EEXIST')(error as NodeJS.ErrnoException)
    return false
  }
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    if (account !== null) fchownSync(file, account.uid, account.gid)
    fchmodSync(file, newMode(content))
    return true
  } finally {
    closeSync(file)
  }
}

async function modeFor(target: string, content: string | Uint8Array): Promise<number> {
  const found = await lstat(target).catch(onlyIf('ENOENT'))
  return found?.isFile() === true ? (found.mode & 0o777) | 0o600 : newMode(content)
}

async function writeFresh(
  { account }: WorkspaceOwner,
  target: string,
  content: string | Uint8Array,
  path: string,
): Promise<void> {
  const fresh = join(dirname(target), `.faultline-${randomUUID()}`)
  try {
    await using file = await open(
      fresh,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    )
    await file.writeFile(content)
    if (account !== null) await file.chown(account.uid, account.gid)
    await file.chmod(await modeFor(target, content))
    await rename(fresh, target)
  } catch (error) {
    await rm(fresh, { force: true })
    if (/^(?:EISDIR|ENOTEMPTY|EEXIST)$/.test((error as NodeJS.ErrnoException).code ?? '')) {
      throw new FaultlineError('BAD_PATH', `${JSON.stringify(path)} is a folder.`, 'Use another path.', {
        cause: error,
      })
    }
    throw error
  }
}

/**
 * Writes files into a workspace: each is a fresh file, renamed into place where something exists already, so that no
 * link is followed. No program may run in the workspace meanwhile. A file that begins with `#!` becomes executable; a
 * replaced file keeps its mode.
 *
 * @param files - Content by path; paths pass `safePath`.
 * @throws {FaultlineError} BAD_PATH for a path that leaves the workspace, or that leads through something that is no
 * folder.
 */
export async function fillWorkspace(
  owner: WorkspaceOwner,
  dir: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<void> {
  await prepareWorkspace(owner, dir)
  const known = new Set<string>([dir])
  let written = 0
  for (const [path, content] of files) {
    if (++written % FILES_AT_ONCE === 0) await nextTurn()
    const safe = safePath(path)
    if (safe === null) {
      throw new FaultlineError(
        'BAD_PATH',
        `${JSON.stringify(path)} is not a path inside of the workspace.`,
        'Use a relative path with "/" that stays inside.',
      )
    }
    const target = join(dir, safe)
    await parentFolder(owner, dirname(target), { known, path: safe })
    if (!writeNew(owner, target, content)) await writeFresh(owner, target, content, safe)
  }
}

/** Removes the set-id bits of a file from the jail, which would outlive it. */
export async function dropSetId(file: FileHandle, mode: number): Promise<void> {
  if ((mode & 0o6000) !== 0) await file.chmod(mode & 0o1777)
}
