import { createHash } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectNameFrom } from '../../core/project.ts'
import { usageError } from '../cli-error.ts'

const HASH_CHARS = 8
const MAX_FOLDER_CHARS = 64 - HASH_CHARS - 1

const isBare = (folder: string): boolean => ['HEAD', 'objects', 'refs'].every(name => existsSync(join(folder, name)))
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * The repository of a folder: the nearest folder above it with `.git`, or the folder itself when it is a bare one. Null
 * when there is none.
 */
export function findRepository(folder: string): string | null {
  if (!isFolder(folder)) return null
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git')) || isBare(at)) return at
    if (dirname(at) === at) return null
  }
}

/**
 * The repository at a path.
 *
 * @throws {CliError} USAGE when there is none.
 */
export function needRepository(path: string, cwd: string): string {
  const repository = findRepository(resolve(cwd, path))
  if (repository === null) {
    throw usageError(
      `--repo ${JSON.stringify(path)}: there is no git repository.`,
      'Name a folder inside a repository, or --project.',
    )
  }
  return repository
}

/** A project name for a repository on this machine; folders of the same name in different places get different ones. */
export function projectFor(repository: string): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, HASH_CHARS)
  const name = basename(repository)
    .replace(/\.git$/i, '')
    .slice(0, MAX_FOLDER_CHARS)
  return `${projectNameFrom(name) ?? 'repository'}-${hash}`
}

function localPathOf(given: string, cwd: string): string | null {
  if (/^file:\/\/\//i.test(given)) return URL.canParse(given) ? fileURLToPath(given) : null
  if (given === '~' || given.startsWith('~/')) return join(homedir(), given.slice(1))
  if (isAbsolute(given) || /^\.{1,2}(?:\/|$)/.test(given)) return resolve(cwd, given)
  return !given.includes(':') && isFolder(resolve(cwd, given)) ? resolve(cwd, given) : null
}

/** A bundle or an archive of this machine, by its full path; null for anything else. */
export function repositoryFile(given: string, cwd: string): string | null {
  const path = localPathOf(given, cwd) ?? resolve(cwd, given)
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : null
}

/** The name of the project that a file becomes: its own, without endings. */
export function projectForFile(file: string): string {
  const name = basename(file).replace(/\.(?:bundle|tar|tgz|tar\.gz)$/i, '')
  return projectNameFrom(name) ?? 'repository'
}

/**
 * The repository that the user typed: a path of this machine becomes absolute, anything else stays as it is. As in git,
 * `host:path` is a path only when it begins with `/`, `.` or `~`, or when the part before the colon cannot be a host.
 */
export function repositoryArgument(given: string, cwd: string): { url: string; localPath: string | null } {
  const localPath = localPathOf(given, cwd)
  return { url: localPath ?? given, localPath }
}
