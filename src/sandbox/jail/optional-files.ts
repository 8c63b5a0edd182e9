import { readdirSync, readFileSync } from 'node:fs'

/** What a file or folder answers that this machine does not have, or that is not this account's to read. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'])

function ifPresent<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch (error) {
    if (!ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return otherwise
  }
}

/** The text of a file that may be there; empty when it is not. */
export const textOf = (file: string): string => ifPresent(() => readFileSync(file, 'utf8'), '')

/** The names in a folder that may be there, in order; none when it is not. */
export const namesIn = (folder: string): string[] => ifPresent(() => readdirSync(folder), []).sort()
