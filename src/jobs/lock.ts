import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../core/errors.ts'
import { isFullDisk } from '../core/full-disk.ts'
import { OWNER_FILE, readOwner, type FolderOwner } from './lock-owner.ts'

/** A folder that only this process may use until the lock is disposed of. */
export interface FolderLock extends Disposable {
  /** Tells a second process where this one can be reached. */
  announce(url: string): void
  /**
   * Shows that this process holds the lock: only it and whoever may read the folder know the secret that the answer to
   * a challenge is made with.
   */
  prove(challenge: string): string
}

const SQLITE_BUSY = 5
const SECRET_BYTES = 32
/** A command that looks whether a folder is locked holds up the one that wants to lock it for no longer. */
const LOOK_MS = 300

/** What is said of a process that holds a folder, in the middle of a sentence. */
export function ownerText({ program, pid, since }: FolderOwner): string {
  return `${program}, process ${pid}, since ${since}`
}

/** The answer to a challenge, by whoever knows the secret of the lock. */
export const proofOf = (secret: string, challenge: string): string =>
  createHmac('sha256', Buffer.from(secret, 'hex')).update(`faultline lock ${challenge}`).digest('hex')

const OWN_FOLDERS = 'give this one folders of its own (DATA_DIR, VECTOR_STORE_DIR, CLONED_REPOS_DIR).'

/** @param owner - The process that holds the folder; null when it does not say. */
function lockedError(setting: string, owner: FolderOwner | null, cause: unknown): FaultlineError {
  const who = owner === null ? '' : `: ${ownerText(owner)}`
  const url = owner?.url ?? null
  const [where, fix] =
    url === null
      ? ['', `Wait until it has ended, or ${OWN_FOLDERS}`]
      : [`; it listens on ${url}`, `Use it with --server ${url}, stop it, or ${OWN_FOLDERS}`]
  return new FaultlineError('DATA_DIR_LOCKED', `Another Faultline process uses this ${setting}${who}${where}.`, fix, {
    cause,
  })
}

/** The error for a disk on which a folder of the server, or its lock, has no room. */
export const noRoomError = (setting: string, folder: string, cause: unknown): FaultlineError =>
  new FaultlineError(
    'DISK_FULL',
    `The disk that holds ${setting}=${folder} is full: not even the folder and its lock can be written.`,
    `Free some megabytes on that disk, or set ${setting} to a folder on a larger one.`,
    { cause },
  )

const hasCode = (error: unknown, errcode: number): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === errcode

/** Opens the file with its lock. */
function lockFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: LOOK_MS })
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * The same with another file in place of one that is damaged: SQLite looks for locks before it reads, so nobody holds
 * one of it, and nothing is in it.
 */
function lockAnyFile(file: string): DatabaseSync {
  try {
    return lockFile(file)
  } catch (error) {
    if (hasCode(error, SQLITE_BUSY)) throw error
    rmSync(file, { force: true, recursive: true })
    return lockFile(file)
  }
}

const lockPath = (folder: string): string => join(folder, '.lock.sqlite')

/** Whether a process holds the lock of a folder now. Takes nothing and writes nothing. */
export function isLocked(folder: string): boolean {
  const file = lockPath(folder)
  if (!existsSync(file)) return false
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    return hasCode(error, SQLITE_BUSY)
  }
}

function openLockFile(setting: string, folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return lockAnyFile(lockPath(folder))
  } catch (cause) {
    if (hasCode(cause, SQLITE_BUSY)) throw lockedError(setting, readOwner(folder), cause)
    if (isFullDisk(cause)) throw noRoomError(setting, folder, cause)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FaultlineError(
      'CONFIG_INVALID',
      `${setting}=${folder} is not a folder that can be written to: ${reason}.`,
      `Set ${setting} to another folder.`,
      { cause },
    )
  }
}

/** A locked folder, in which stands who has locked it. */
interface OwnedFolder extends Disposable {
  write(owner: FolderOwner): void
}

function lockFolder(setting: string, folder: string): OwnedFolder {
  const ownerFile = join(folder, OWNER_FILE)
  const db = openLockFile(setting, folder)
  rmSync(ownerFile, { force: true, recursive: true }) // of a process that was killed
  return {
    write(owner) {
      const draft = `${ownerFile}.new`
      try {
        rmSync(draft, { force: true })
        writeFileSync(draft, JSON.stringify(owner), { mode: 0o600, flag: 'wx' })
        renameSync(draft, ownerFile)
      } catch {
        // a second process then hears that there is one, and not where: no reason to end this one on a full disk
      }
    },
    [Symbol.dispose]() {
      rmSync(ownerFile, { force: true, recursive: true })
      db.close()
    },
  }
}

/**
 * Takes the locks of the folders that this process alone may write to, for its life. SQLite's file lock is used because
 * the kernel drops it however the process ends; a pid file would have to guess whether its owner still lives.
 *
 * @param folders - By the setting that names them; two settings may name one folder.
 * @param program - What this process is, for a second one: `faultline clone`.
 * @throws {FaultlineError} DATA_DIR_LOCKED naming the setting, the process that holds it and its URL, when it listens.
 * CONFIG_INVALID when a folder cannot be made or written to. DISK_FULL when there is no room for the lock.
 */
export function lockFolders(folders: Record<string, string>, program = 'faultline'): FolderLock {
  const locks = new Map<string, OwnedFolder>()
  const secret = randomBytes(SECRET_BYTES).toString('hex')
  const owner: FolderOwner = { program, pid: process.pid, since: new Date().toISOString(), url: null, secret }
  const release = () => {
    for (const lock of locks.values()) lock[Symbol.dispose]()
  }
  const tell = (told: FolderOwner) => {
    for (const lock of locks.values()) lock.write(told)
  }
  try {
    for (const [setting, folder] of Object.entries(folders)) {
      if (!locks.has(folder)) locks.set(folder, lockFolder(setting, folder))
    }
  } catch (error) {
    release()
    throw error
  }
  tell(owner)
  return {
    announce: url => tell({ ...owner, url }),
    prove: challenge => proofOf(secret, challenge),
    [Symbol.dispose]: release,
  }
}
