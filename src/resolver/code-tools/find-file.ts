import { distance } from 'fastest-levenshtein'
import { FaultlineError } from '../../core/errors.ts'
import { baseName } from '../../core/path-names.ts'
import { safePath } from '../../core/safe-path.ts'
import { fileIndexOf, type IndexedFile } from '../code/file-index.ts'
import type { CodeView } from './code-view.ts'

const MAX_NEAR = 5
/** Names that differ in more than this share of their letters are no slips of the pen. */
export const MAX_DISTANCE = 0.4

/** A path, and the repository that is meant, as they were given. */
export interface GivenPlace {
  path: string
  repository?: string
}

/** @throws {FaultlineError} BAD_PATH: it leads out of the repository, or is none. */
function spelled(path: string): string {
  const safe = safePath(path)
  if (safe !== null) return safe
  throw new FaultlineError(
    'BAD_PATH',
    `${JSON.stringify(path)} is no path within a repository.`,
    'Name a file from the root of its repository, such as src/shop/cart.py.',
  )
}

/** @throws {FaultlineError} NOT_FOUND: the project has no such repository. */
function requireRepository(view: CodeView, repository: string | undefined): void {
  const names = view.commits.map(one => one.repository)
  if (repository === undefined || names.includes(repository)) return
  throw new FaultlineError(
    'NOT_FOUND',
    `The project has no repository ${JSON.stringify(repository)}.`,
    `Its repositories: ${names.join(', ')}. Leave repository out to look in all of them.`,
  )
}

/** What is near to something, the nearest first. */
export function nearest(wanted: string, names: Iterable<string>): string[] {
  const small = wanted.toLowerCase()
  const near: Array<{ name: string; far: number }> = []
  for (const name of new Set(names)) {
    const longest = Math.max(name.length, wanted.length)
    if (Math.abs(name.length - wanted.length) > longest * MAX_DISTANCE) continue
    const far = distance(small, name.toLowerCase())
    if (far <= longest * MAX_DISTANCE) near.push({ name, far })
  }
  return near
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ name }) => name)
}

/** Files that may be meant by a path that is not there. */
function nearPaths(path: string, files: readonly IndexedFile[]): string[] {
  const index = fileIndexOf(files)
  const name = baseName(path)
  const same = index.named(name).map(({ file }) => file.path)
  if (same.length > 0) return [...new Set(same)].slice(0, MAX_NEAR)
  const names = nearest(
    name,
    files.map(file => baseName(file.path)),
  )
  return [...new Set(names.flatMap(near => index.named(near).map(({ file }) => file.path)))].slice(0, MAX_NEAR)
}

/** What lies directly in a folder, folders with a slash. */
function contentsOf(folder: string, files: readonly IndexedFile[]): string[] {
  const inside = files
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .map(file => file.path.slice(folder.length + 1))
  return [...new Set(inside.map(rest => (rest.includes('/') ? `${rest.slice(0, rest.indexOf('/'))}/` : rest)))]
}

const MAX_LISTED = 20

function fileNotFound(path: string, files: readonly IndexedFile[], view: CodeView): FaultlineError {
  const listed = contentsOf(path, files)
  if (listed.length > 0) {
    const more = listed.length > MAX_LISTED ? ` and ${listed.length - MAX_LISTED} more` : ''
    return new FaultlineError(
      'FILE_NOT_FOUND',
      `${JSON.stringify(path)} is a folder.`,
      `Name a file in it. It holds ${listed.slice(0, MAX_LISTED).join(', ')}${more}.`,
    )
  }
  const near = nearPaths(path, files)
  const at = view.commits.map(({ repository, commit }) => `${repository} ${commit.slice(0, 12)}`).join(', ')
  return new FaultlineError(
    'FILE_NOT_FOUND',
    `The project has no file ${JSON.stringify(path)} (${at}), or leaves it out of its index.`,
    near.length > 0 ? `Near to it: ${near.join(', ')}.` : 'search_code finds files by their names, too.',
  )
}

const ofRepository = (files: readonly IndexedFile[], repository: string | undefined): readonly IndexedFile[] =>
  repository === undefined ? files : files.filter(file => file.repository === repository)

/**
 * A file of the project by its path, which is only compared with those that are listed.
 *
 * @throws {FaultlineError} FILE_NOT_FOUND with what is near to it; BAD_PATH; NOT_FOUND: no such repository.
 */
export function findFile({ path: given, repository }: GivenPlace, view: CodeView): IndexedFile {
  requireRepository(view, repository)
  const path = spelled(given)
  const found = fileIndexOf(view.files).at(path, repository)
  if (found !== null) return found
  throw fileNotFound(path, ofRepository(view.files, repository), view)
}

/**
 * A test for files at a path or below it.
 *
 * @throws {FaultlineError} As `findFile`, where there is none.
 */
export function filesBelow(
  { path: given, repository }: Partial<GivenPlace>,
  view: CodeView,
): (file: Pick<IndexedFile, 'repository' | 'path'>) => boolean {
  requireRepository(view, repository)
  const isOf = (file: Pick<IndexedFile, 'repository'>) => repository === undefined || file.repository === repository
  if (given === undefined) return isOf
  const path = spelled(/[/\\]$/.test(given) ? given.slice(0, -1) : given)
  const isBelow = (file: Pick<IndexedFile, 'repository' | 'path'>) =>
    isOf(file) && (file.path === path || file.path.startsWith(`${path}/`))
  if (view.files.some(isBelow)) return isBelow
  throw fileNotFound(path, ofRepository(view.files, repository), view)
}
