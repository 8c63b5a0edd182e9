import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseEnv } from 'node:util'
import { list, type Variables } from './values.ts'

/** The variables that have a value. */
export const withoutEmpty = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))

/** The variables of a file that the user or the operator has written; none where there is no such file. */
export function readEnvFile(file: string): Variables {
  return existsSync(file) ? withoutEmpty(parseEnv(readFileSync(file, 'utf8')) as Variables) : {}
}

const MAX_BYTES = 262_144

/** The same for a file that anybody may have written: what is no plain file, too large or not readable sets nothing. */
function readForeignEnvFile(file: string): Variables {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = fstatSync(handle)
      if (!stats.isFile() || stats.size > MAX_BYTES) return {}
      return withoutEmpty(parseEnv(readFileSync(handle, 'utf8')) as Variables)
    } finally {
      closeSync(handle)
    }
  } catch {
    return {}
  }
}

function realFolder(folder: string): string | null {
  try {
    return realpathSync(folder)
  } catch {
    return null
  }
}

/** Whether a folder is one of those whose `.env` counts in full; what lies below one may be a clone of anybody's. */
function isTrusted(folder: string, trusted: string | undefined): boolean {
  const real = realFolder(folder)
  return real !== null && list(trusted).some(one => isAbsolute(one) && realFolder(one) === real)
}

/** What the `.env` of the current folder may set. */
interface ForeignFile {
  /** The current folder. */
  folder: string
  /** Variables that any folder may set. */
  harmless: ReadonlySet<string>
  /** Variables that mean something to this program. */
  known: ReadonlySet<string>
  /** The setting `TRUSTED_FOLDERS`, from anywhere but this file. */
  trusted: string | undefined
}

/**
 * The variables of the current folder's `.env` that count, and the names of those that would if the folder were
 * trusted. A command is called in folders that came from elsewhere: their file must not send a key or code to another
 * host, start a program, or open what the user has closed.
 */
export function readFolderEnvFile({ folder, harmless, known, trusted }: ForeignFile): {
  values: Variables
  refused: string[]
} {
  const { TRUSTED_FOLDERS: _own, ...given } = readForeignEnvFile(join(folder, '.env'))
  if (isTrusted(folder, trusted)) return { values: given, refused: [] }
  const names = Object.keys(given)
  const taken = names.filter(name => harmless.has(name)).map(name => [name, given[name]])
  return {
    values: Object.fromEntries(taken) as Variables,
    refused: names.filter(name => known.has(name) && !harmless.has(name)),
  }
}
