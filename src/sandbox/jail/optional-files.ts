import { readdirSync, readFileSync } from 'node:fs'

/** Errors for a file or folder that is missing, or that this account may not read. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'])

function ifPresent<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch (error) {
    if (!ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return otherwise
  }
}

/** The text of a file; empty when it is missing. */
export const textOf = (file: string): string => ifPresent(() => readFileSync(file, 'utf8'), '')

/** The names in a folder, in order; none when it is missing. */
export const namesIn = (folder: string): string[] => ifPresent(() => readdirSync(folder), []).sort()
