import { basename } from 'node:path'
import { FaultlineError } from './errors.ts'
import { namingFullDisk } from './full-disk.ts'
import { hasNoFileLeft, outOfFiles, saysNoFileIsLeft } from './open-files.ts'

const SQLITE_CANNOT_OPEN = 14
/** What SQLite says of a file that it cannot work with. */
const DATABASE_FAULTS: ReadonlyMap<number, string> = new Map([
  [8, 'it cannot be written to'],
  [10, 'the disk fails to read or write it'],
  [11, 'it is damaged or cut off'],
  [SQLITE_CANNOT_OPEN, 'it cannot be opened'],
  [26, 'the file is no database'],
])

/** What the system says of a file of ours that something else was put in place of, or that cannot be read. */
const FILE_FAULTS: ReadonlyMap<unknown, string> = new Map([
  ['EACCES', 'it may not be opened'],
  ['EPERM', 'it may not be changed'],
  ['EIO', 'the disk fails to read it'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a folder on the way to it is a file'],
  ['ELOOP', 'it is a link that leads nowhere'],
  ['EROFS', 'its disk is read-only'],
])

/** The error for a job database that cannot be used. */
export const jobDatabaseDamaged = (reason: string, cause?: unknown): FaultlineError =>
  new FaultlineError(
    'DATA_DAMAGED',
    `The job database (jobs.sqlite in DATA_DIR) cannot be used: ${reason}.`,
    'Stop the server and put back a copy, or move the file away to begin without jobs; indexes and clones stay.',
    { cause },
  )

function namingDamage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof FaultlineError) return error
  const sqliteCode = 'errcode' in error ? Number(error.errcode) % 256 : null
  if (saysNoFileIsLeft(error)) return outOfFiles('A file of the server cannot be opened', error)
  if (sqliteCode === SQLITE_CANNOT_OPEN && hasNoFileLeft()) {
    return outOfFiles('A database of the server cannot be opened', error)
  }
  // only the job database is read without naming what is wrong with it
  const inDatabase = sqliteCode === null ? undefined : DATABASE_FAULTS.get(sqliteCode)
  if (inDatabase !== undefined) return jobDatabaseDamaged(inDatabase, error)
  const inFile = 'code' in error && 'path' in error ? FILE_FAULTS.get(error.code) : undefined
  if (inFile === undefined) return error
  const name = 'path' in error && typeof error.path === 'string' ? basename(error.path) : 'a file'
  return new FaultlineError(
    'DATA_DAMAGED',
    `A file of the server, ${JSON.stringify(name)}, cannot be used: ${inFile}.`,
    'Put back a copy of it, or move it away and POST /clone the repositories that it belongs to again.',
    { cause: error },
  )
}

/**
 * DISK_FULL, DATA_DAMAGED, or OVERLOADED where no file is left to open: with the way out, in place of an error that
 * says nothing but what the system or SQLite met in the server's own files; any other error as it is.
 */
export const namingStorageFault = (error: unknown): unknown => namingDamage(namingFullDisk(error))
