import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../core/is-object.ts'

/** In a locked folder: who has locked it. */
export const OWNER_FILE = '.owner.json'

/** Who holds the lock of a folder, as it says itself. */
export interface FolderOwner {
  /** As a person would call it: `faultline serve`. */
  program: string
  pid: number
  /** RFC 3339. */
  since: string
  /** Where it listens, on this machine; null for a command. */
  url: string | null
  /** What it proves itself with; hexadecimal. */
  secret: string
}

const MAX_BYTES = 4096
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Any right of the group or of others. */
const OF_OTHERS = 0o077

/** The text of a file that nobody but this account can have written or read; null for any other. */
function readOwnFile(path: string): string | null {
  const file = openSync(path, READ)
  try {
    const stats = fstatSync(file)
    const isOwn = process.getuid === undefined || stats.uid === process.getuid()
    if (!stats.isFile() || !isOwn || (stats.mode & OF_OTHERS) !== 0 || stats.size > MAX_BYTES) return null
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

const isUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\/[\w.:[\]-]{1,100}\/?$/.test(value) && URL.canParse(value)

const matches = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value)

function ownerFrom(value: unknown): FolderOwner | null {
  if (!isObject(value)) return null
  const { program, pid, since, url, secret } = value
  if (!matches(program, /^[\w .-]{1,60}$/) || !Number.isSafeInteger(pid)) return null
  if (!matches(since, /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/) || !matches(secret, /^[0-9a-f]{64}$/)) return null
  return { program, pid: Number(pid), since, url: isUrl(url) ? url : null, secret }
}

/**
 * Who says that it holds the lock of a folder; null where nobody does, or where the file is not whole. It may be left
 * over from a process that was killed, and a folder that came from elsewhere may bring one along: only one that this
 * account has written and nobody else may read counts, which no clone and no archive unpacks by itself.
 */
export function readOwner(folder: string): FolderOwner | null {
  try {
    const text = readOwnFile(join(folder, OWNER_FILE))
    return text === null ? null : ownerFrom(JSON.parse(text))
  } catch {
    return null
  }
}
