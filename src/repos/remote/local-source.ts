import { lstat, opendir, readFile, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { runGit } from '../git/git-process.ts'
import { isBelow, realFolders } from './local-repository.ts'
import type { RepositoryUrl } from './repository-url.ts'

/** What git reads of a git directory to serve its objects. Folders count with everything in them. */
const FILES = ['HEAD', 'commondir', 'config', 'config.worktree', 'packed-refs', 'shallow']
const FOLDERS = ['objects', 'refs', 'reftable']
const MAX_ALTERNATES = 100
const LINE_END = /(?<![\r\n])[\r\n]+$/
const ASIDE = 'Set ALLOW_LOCAL_REPOS to a folder above everything that belongs to the repository.'

/**
 * Where git keeps a repository, as real paths: in two folders for a work tree made by `git worktree add`, else in one.
 */
interface GitDirs {
  gitDir: string
  commonDir: string
}

/** A path relative to a folder as the system reads it: `..` after a link leads on from the link's target. */
const from = (folder: string, path: string): string => (isAbsolute(path) ? path : `${folder}/${path}`)

function absent(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'].includes(error.code ?? '')) return null
  throw error
}

async function realFolder(path: string): Promise<string | null> {
  const real = await realpath(path).catch(absent)
  return real !== null && (await stat(real)).isDirectory() ? real : null
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(absent)) !== null
}

/** The content of a regular file; null where there is none. */
async function contentOf(path: string): Promise<string | null> {
  const stats = await stat(path).catch(absent)
  return stats?.isFile() === true ? await readFile(path, 'utf8') : null
}

/** The folder that a `.git` file names, `.git` itself, or the folder; null for any other `.git`. */
async function gitDirCandidate(folder: string): Promise<string | null> {
  const dotGit = join(folder, '.git')
  const pointer = await contentOf(dotGit)
  if (pointer === null) return (await exists(dotGit)) ? dotGit : folder
  const named = /^gitdir: ([^\0]+)$/.exec(pointer.replace(LINE_END, ''))?.[1]
  return named === undefined ? null : from(folder, named)
}

/**
 * Finds the git directory of a folder: the folder itself, its `.git`, or where a `.git` file leads, wherever that is
 * (see `requireContained`). Null when there is none.
 */
export async function findGitDirs(folder: string): Promise<GitDirs | null> {
  const candidate = await gitDirCandidate(folder)
  const gitDir = candidate === null ? null : await realFolder(candidate)
  if (gitDir === null || !(await exists(join(gitDir, 'HEAD')))) return null
  const common = await contentOf(join(gitDir, 'commondir'))
  const commonDir = common === null ? gitDir : await realFolder(from(gitDir, common.replace(LINE_END, '')))
  return commonDir === null ? null : { gitDir, commonDir }
}

async function holdsLinkBelow(folder: string): Promise<boolean> {
  const entries = await opendir(folder).catch(absent)
  if (entries === null) return false
  for await (const entry of entries) {
    if (entry.isSymbolicLink() || (entry.isDirectory() && (await holdsLinkBelow(join(folder, entry.name))))) return true
  }
  return false
}

async function holdsLink(dir: string): Promise<boolean> {
  for (const name of [...FILES, ...FOLDERS]) {
    if ((await lstat(join(dir, name)).catch(absent))?.isSymbolicLink() === true) return true
  }
  for (const name of FOLDERS) if (await holdsLinkBelow(join(dir, name))) return true
  return false
}

/** Whether all objects that an object folder borrows, directly or not, are below the roots. */
async function borrowsFromBelow(objects: string, roots: readonly string[]): Promise<boolean> {
  const seen = new Set([objects])
  for (const folder of seen) {
    // grows while it is gone through
    if (seen.size > MAX_ALTERNATES) return false
    for (const line of ((await contentOf(join(folder, 'info', 'alternates'))) ?? '').split('\n')) {
      if (line === '' || line.startsWith('#')) continue
      if (line.startsWith('"')) return false // git's quoting, which nothing needs
      // Releases of git differ in whether they take out `..` before they follow links.
      for (const path of [from(folder, line), resolve(folder, line)]) {
        const real = await realFolder(path)
        if (real === null || !roots.some(root => isBelow(real, root)) || (await holdsLinkBelow(real))) return false
        seen.add(real)
      }
    }
  }
  return true
}

/**
 * Whether a repository is a partial clone. Git itself reads the configuration, with its includes, when it mentions one.
 */
async function isPartial({ gitDir, commonDir }: GitDirs, searchPath: string): Promise<boolean> {
  const files = [...new Set([gitDir, commonDir])].flatMap(dir => [join(dir, 'config'), join(dir, 'config.worktree')])
  const texts = await Promise.all(files.map(async file => await contentOf(file).catch(absent)))
  if (!texts.some(text => text !== null && /partialclone|promisor|include/i.test(text))) return false
  const { exitCode } = await runGit(
    ['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$'],
    { gitDir, searchPath },
  )
  return exitCode === 0
}

/**
 * The git directory of a local repository, after checking that git can serve nothing from it that lies outside the
 * allowed folders: by a `.git` file, a common directory, a link, borrowed objects, or a partial clone that would fetch
 * what it lacks.
 *
 * @throws {FaultlineError} LOCAL_REPOSITORY_REFUSED, REPOSITORY_NOT_FOUND.
 */
export async function requireContained(
  remote: RepositoryUrl,
  { allowLocalRepos, searchPath }: { allowLocalRepos: readonly string[]; searchPath: string },
): Promise<string> {
  const dirs = await findGitDirs(remote.path ?? '')
  if (dirs === null) {
    throw new FaultlineError('REPOSITORY_NOT_FOUND', `There is no repository at "${remote.url}".`, 'Check the URL.')
  }
  const roots = await realFolders(allowLocalRepos)
  const { gitDir, commonDir } = dirs
  for (const dir of new Set([gitDir, commonDir])) {
    if (!roots.some(root => isBelow(dir, root))) {
      throw new FaultlineError(
        'LOCAL_REPOSITORY_REFUSED',
        `The repository "${remote.url}" is kept in another folder, from which none may be taken.`,
        ASIDE,
      )
    }
    if (await holdsLink(dir)) {
      throw new FaultlineError(
        'LOCAL_REPOSITORY_REFUSED',
        `The repository "${remote.url}" holds symbolic links among its git files, which are not followed.`,
        'Clone it with git, and name the copy.',
      )
    }
  }
  if (!(await borrowsFromBelow(join(commonDir, 'objects'), roots))) {
    throw new FaultlineError(
      'LOCAL_REPOSITORY_REFUSED',
      `The repository "${remote.url}" borrows objects from a folder from which none may be taken.`,
      ASIDE,
    )
  }
  if (await isPartial(dirs, searchPath)) {
    throw new FaultlineError(
      'LOCAL_REPOSITORY_REFUSED',
      `The repository "${remote.url}" is a partial clone, which fetches what it lacks from elsewhere.`,
      'Clone the repository that it was made from.',
    )
  }
  return gitDir
}
