import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { findGitDirs } from '../remote/local-source.ts'
import type { RepositoryUrl } from '../remote/repository-url.ts'
import type { WorkTreeSource } from './work-view.ts'

/**
 * The work tree of a repository on this machine: the folder that holds its `.git`, whatever its configuration says.
 * Null for a bare one, and for a remote elsewhere.
 */
export async function findWorkTree({ path }: RepositoryUrl): Promise<WorkTreeSource | null> {
  if (path === null) return null
  const hasGit = await lstat(join(path, '.git')).then(
    () => true,
    () => false,
  )
  const dirs = hasGit ? await findGitDirs(path) : null
  return dirs === null ? null : { workTree: path, ...dirs }
}
