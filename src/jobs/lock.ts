import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../core/errors.ts'

export interface DataDirLock extends Disposable {
  /** Tells a second process where this one can be reached. */
  announce (url: string): void
}

/**
 * Takes the lock of a `DATA_DIR` for the life of this process. SQLite's file lock is used because the kernel drops it however the
 * process ends; a pid file would have to guess whether its owner still lives.
 *
 * @throws {FaultlineError} DATA_DIR_LOCKED naming the URL of the process that holds it, when it listens.
 */
export function lockDataDir (dataDir: string): DataDirLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const ownerFile = join(dataDir, 'owner.json')
  const db = new DatabaseSync(join(dataDir, 'lock.sqlite'))
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    const url = readOwner(ownerFile)
    throw new FaultlineError('DATA_DIR_LOCKED', url === null
      ? 'Another Faultline process uses this DATA_DIR.'
      : `Another Faultline process uses this DATA_DIR; it listens on ${url}.`,
    url === null ? 'Wait until it has ended, or set another DATA_DIR.' : `Use it with --server ${url}, stop it, or set another DATA_DIR.`, { cause })
  }
  rmSync(ownerFile, { force: true }) // of a process that was killed
  return {
    announce (url) { writeFileSync(ownerFile, JSON.stringify({ url, pid: process.pid }), { mode: 0o600 }) },
    [Symbol.dispose] () {
      rmSync(ownerFile, { force: true })
      db.close()
    },
  }
}

function readOwner (file: string): string | null {
  try {
    const owner: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof owner === 'object' && owner !== null && 'url' in owner && typeof owner.url === 'string' ? owner.url : null
  } catch {
    return null // the owner does not listen (a CLI run), or has not said so yet
  }
}
