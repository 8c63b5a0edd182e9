import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../core/errors.ts'
import { isFullDisk } from '../core/full-disk.ts'

/** A folder that only this process may use until the lock is disposed of. */
export interface FolderLock extends Disposable {
  /** Tells a second process where this one can be reached. */
  announce(url: string): void
}

const OWNER_FILE = '.owner.json'
const SQLITE_BUSY = 5

function readOwner(file: string): string | null {
  try {
    const owner: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof owner === 'object' && owner !== null && 'url' in owner && typeof owner.url === 'string'
      ? owner.url
      : null
  } catch {
    return null // the owner does not listen (a CLI run), or has not said so yet
  }
}

const OWN_FOLDERS = 'give this one folders of its own (DATA_DIR, VECTOR_STORE_DIR, CLONED_REPOS_DIR).'

/** @param url - Where the process that holds the folder listens; null when it does not say. */
function lockedError(setting: string, url: string | null, cause: unknown): FaultlineError {
  const [where, fix] =
    url === null
      ? ['', `Wait until it has ended, or ${OWN_FOLDERS}`]
      : [`; it listens on ${url}`, `Use it with --server ${url}, stop it, or ${OWN_FOLDERS}`]
  return new FaultlineError('DATA_DIR_LOCKED', `Another Faultline process uses this ${setting}${where}.`, fix, {
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
  const db = new DatabaseSync(file)
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

function openLockFile(setting: string, folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return lockAnyFile(join(folder, '.lock.sqlite'))
  } catch (cause) {
    if (hasCode(cause, SQLITE_BUSY)) throw lockedError(setting, readOwner(join(folder, OWNER_FILE)), cause)
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

function lockFolder(setting: string, folder: string): FolderLock {
  const ownerFile = join(folder, OWNER_FILE)
  const db = openLockFile(setting, folder)
  rmSync(ownerFile, { force: true, recursive: true }) // of a process that was killed
  return {
    announce(url) {
      try {
        writeFileSync(ownerFile, JSON.stringify({ url, pid: process.pid }), { mode: 0o600 })
      } catch {
        // a second process then hears that there is one, and not where: no reason to end this one on a full disk
      }
    },
    [Symbol.dispose]() {
      rmSync(ownerFile, { force: true })
      db.close()
    },
  }
}

/**
 * Takes the locks of the folders that this process alone may write to, for its life. SQLite's file lock is used because
 * the kernel drops it however the process ends; a pid file would have to guess whether its owner still lives.
 *
 * @param folders - By the setting that names them; two settings may name one folder.
 * @throws {FaultlineError} DATA_DIR_LOCKED naming the setting and the URL of the process that holds it, when it
 * listens. CONFIG_INVALID when a folder cannot be made or written to. DISK_FULL when there is no room for the lock.
 */
export function lockFolders(folders: Record<string, string>): FolderLock {
  const locks = new Map<string, FolderLock>()
  const release = () => {
    for (const lock of locks.values()) lock[Symbol.dispose]()
  }
  try {
    for (const [setting, folder] of Object.entries(folders)) {
      if (!locks.has(folder)) locks.set(folder, lockFolder(setting, folder))
    }
  } catch (error) {
    release()
    throw error
  }
  return {
    announce(url) {
      for (const lock of locks.values()) lock.announce(url)
    },
    [Symbol.dispose]: release,
  }
}
