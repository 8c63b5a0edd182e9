import type { SkipReason } from '../core/project.ts'
import { decodeSource, lineStarts } from '../core/source-text.ts'
import { isBinaryName, isLockFileName, isMinifiedName, isSecretName, isUnsafePath } from '../core/file-names.ts'
import { baseName } from '../core/path-names.ts'
import { createFolderFilter } from './ignored-folders.ts'
import { languageOf, languageOfShebang } from './languages.ts'
import { createGlobTest } from './path-globs.ts'

const MAX_FILE_BYTES = 1_048_576
const BINARY_LOOK_BYTES = 8_192
const MAX_FILES = 200_000
const MAX_TOTAL_BYTES = 1_073_741_824
const SYMLINK = '120000'
const EXECUTABLE = '100755'
const IN_PROGRAM_FOLDER = /(?:^|\/)(?:s?bin|exe|scripts?|libexec|tools?)\/[^/]+$/

/** Languages that have minifiers. Elsewhere long lines are tables, paragraphs or literals that somebody wrote. */
const MINIFIABLE: ReadonlySet<string> = new Set(['javascript', 'css', 'json'])
/** Lines of this length on average are not written by hand. */
const LONG_LINE = 500
const MIN_MINIFIED_LENGTH = 2_000

/** A tracked file as `repos/objects/objects.ts` lists it. */
export interface TrackedFile {
  path: string
  mode: string
  type: 'blob' | 'commit'
  oid: string
  size: number | null
}

/**
 * A file that will be indexed unless its content speaks against it, or the limit on chunks. `language` is null when
 * only a script's first line can tell it.
 */
export interface Candidate {
  path: string
  oid: string
  language: string | null
}

/** The files that may be indexed, and how many others there are by reason. */
export interface Selection {
  candidates: Candidate[]
  skipped: Map<SkipReason, number>
}

/** Adds files to the count of a reason. */
export function count(counts: Map<SkipReason, number>, reason: SkipReason, files = 1): void {
  counts.set(reason, (counts.get(reason) ?? 0) + files)
}

/** What must not be read whatever a client includes. */
function reasonByName({ path, mode, type }: TrackedFile, isIgnored: (path: string) => boolean): SkipReason | null {
  if (type === 'commit') return 'submodule'
  if (mode === SYMLINK) return 'symlink'
  if (isUnsafePath(path)) return 'unsafe_path'
  if (isIgnored(path)) return 'ignored'
  if (isSecretName(path)) return 'secret'
  return null
}

/**
 * A file without an ending that can be run, or lies where programs do (a checkout on Windows loses the mode): its first
 * line names the language, if it is a script.
 */
const mayBeScript = (path: string, mode: string): boolean =>
  !baseName(path).includes('.') && (mode === EXECUTABLE || IN_PROGRAM_FOLDER.test(path))

function reasonByKind({ path, mode, size }: TrackedFile): SkipReason | null {
  if (isLockFileName(path)) return 'lock_file'
  if (isMinifiedName(path)) return 'minified'
  if (isBinaryName(path)) return 'binary'
  if (size !== null && size > MAX_FILE_BYTES) return 'too_large'
  return languageOf(path) === null && !mayBeScript(path, mode) ? 'unsupported' : null
}

/**
 * Chooses by names, modes and sizes what to read of a commit; every file that is left out is counted under one reason,
 * the first that applies in the order of `reasonByName`. Candidates are sorted by path.
 */
export function selectFiles(
  files: readonly TrackedFile[],
  {
    include,
    exclude,
    maxFiles = MAX_FILES,
    maxTotalBytes = MAX_TOTAL_BYTES,
  }: { include: string[]; exclude: string[]; maxFiles?: number; maxTotalBytes?: number },
): Selection {
  const isIgnored = createFolderFilter(files)
  const isIncluded = include.length === 0 ? () => true : createGlobTest(include)
  const isExcluded = createGlobTest(exclude)
  const skipped = new Map<SkipReason, number>()
  const candidates: Candidate[] = []
  const reasonBySelection = (file: TrackedFile) =>
    isIncluded(file.path) && !isExcluded(file.path) ? reasonByKind(file) : 'excluded'
  let bytes = 0
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const reason = reasonByName(file, isIgnored) ?? reasonBySelection(file)
    if (reason !== null) count(skipped, reason)
    else if (candidates.length >= maxFiles || bytes + (file.size ?? 0) > maxTotalBytes) count(skipped, 'too_many')
    else {
      candidates.push({ path: file.path, oid: file.oid, language: languageOf(file.path) })
      bytes += file.size ?? 0
    }
  }
  return { candidates, skipped }
}

function isMinified(text: string): boolean {
  return text.length >= MIN_MINIFIED_LENGTH && text.length / lineStarts(text).length > LONG_LINE
}

/** The text and language of a candidate's bytes, or why it is skipped after all. */
export function readCandidate(
  bytes: Uint8Array,
  language: string | null,
): { text: string; language: string } | SkipReason {
  if (bytes.length > MAX_FILE_BYTES) return 'too_large'
  if (bytes.subarray(0, BINARY_LOOK_BYTES).includes(0)) return 'binary'
  const text = decodeSource(bytes)
  if (text === null) return 'not_utf8'
  const known = language ?? languageOfShebang(text)
  if (known === null) return 'unsupported'
  return MINIFIABLE.has(known) && isMinified(text) ? 'minified' : { text, language: known }
}
