import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import { isBinaryName, isLockFileName, isMinifiedName, isSecretName, isUnsafePath } from '../core/file-names.ts'
import type { SkipReason } from '../core/project.ts'
import { safePath } from '../core/safe-path.ts'
import { decodeText } from '../core/source-text.ts'
import { count } from './filter.ts'
import { createFolderFilter } from './ignored-folders.ts'
import { createGlobTest } from './path-globs.ts'

const MAX_FILE_BYTES = 1_048_576
/** What the body of a request may hold, with room for the quoting. */
const MAX_FILES = 2000
const MAX_TOTAL_BYTES = 16 * 1_048_576

/** The files of a folder that may be sent, and how many were left out by reason. */
export interface FolderFiles {
  /** Texts as they are, byte order mark and line ends included, by path. */
  files: Map<string, string>
  leftOut: Map<SkipReason, number>
}

/** Which files of a folder are wanted. */
export interface ReadFolderOptions {
  /** Globs; none: every file. */
  select?: string[]
  /** Whether a program is to be run from the files: it needs its lock files and all other texts, a model does not. */
  forRun: boolean
}

function reasonByName(path: string, isInIgnoredFolder: (path: string) => boolean): SkipReason | null {
  if (isUnsafePath(path) || safePath(path) !== path) return 'unsafe_path'
  if (isInIgnoredFolder(path)) return 'ignored'
  return isSecretName(path) ? 'secret' : null
}

function reasonByUse(path: string, forRun: boolean): SkipReason | null {
  if (forRun) return null
  if (isLockFileName(path)) return 'lock_file'
  if (isMinifiedName(path)) return 'minified'
  return isBinaryName(path) ? 'binary' : null
}

async function readRegular(path: string): Promise<{ text: string; bytes: number } | SkipReason> {
  try {
    if ((await lstat(path)).isSymbolicLink()) return 'symlink'
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stat = await file.stat()
    if (!stat.isFile()) return 'unsupported'
    if (stat.size > MAX_FILE_BYTES) return 'too_large'
    const bytes = await file.readFile()
    if (bytes.includes(0)) return 'binary'
    const text = decodeText(bytes)
    return text === null ? 'not_utf8' : { text, bytes: bytes.length }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return 'unsupported'
    } // it went away, or is not for us
    throw error
  }
}

/**
 * The files of a folder that may be shown to a model: no secrets by their names, no dependencies and caches, nothing
 * that is no text, no links.
 *
 * @param paths - Relative to the folder.
 * @throws {FaultlineError} PAYLOAD_TOO_LARGE for more than 2,000 files or 16 MiB; VALIDATION_FAILED for a glob that
 * cannot be used.
 */
export async function readFolderFiles(
  folder: string,
  paths: readonly string[],
  { select = [], forRun }: ReadFolderOptions,
): Promise<FolderFiles> {
  const leftOut: FolderFiles['leftOut'] = new Map()
  const files: FolderFiles['files'] = new Map()
  const isSelected = select.length === 0 ? () => true : createGlobTest(select)
  const isInIgnoredFolder = createFolderFilter(paths.map(path => ({ path, size: null })))
  const reasonBySelection = (path: string) => (isSelected(path) ? reasonByUse(path, forRun) : 'excluded')
  let bytes = 0
  for (const path of [...paths].sort()) {
    const reason = reasonByName(path, isInIgnoredFolder) ?? reasonBySelection(path)
    const read = reason ?? (await readRegular(join(folder, path)))
    if (typeof read === 'string') {
      count(leftOut, read)
      continue
    }
    files.set(path, read.text)
    bytes += read.bytes
    if (files.size > MAX_FILES || bytes > MAX_TOTAL_BYTES) {
      throw new FaultlineError(
        'PAYLOAD_TOO_LARGE',
        `There are more files than can be sent at once: ${MAX_FILES}, and ${MAX_TOTAL_BYTES / 1_048_576} MiB of text.`,
        'Name a smaller folder, or choose files with --select.',
      )
    }
  }
  return { files, leftOut }
}
