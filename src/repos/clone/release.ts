import { randomUUID } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isProjectName } from '../../core/project.ts'
import { readCloneState, writeCloneState, type CloneUser } from './clone-state.ts'
import { openLocalGit, projectRef, uncommittedRef } from './local-git.ts'
import { TEMPORARY_PREFIX, type CloneContext } from './sync.ts'

async function releaseClone(
  { clonedReposDir, searchPath }: CloneContext,
  gitDir: string,
  isReleased: (user: CloneUser) => boolean,
): Promise<void> {
  const state = await readCloneState(gitDir)
  if (state === null) return
  const users = state.users.filter(user => !isReleased(user))
  if (users.length > 0) {
    const refs = state.users
      .filter(isReleased)
      .flatMap(({ project, branches = [] }) => [
        projectRef(project),
        uncommittedRef(project),
        ...branches.map(branch => `refs/heads/${branch}`),
      ])
    await openLocalGit(gitDir, { searchPath }).updateRefs(refs.map(ref => ({ ref, commit: null })))
    await writeCloneState(gitDir, { ...state, users })
    return
  }
  const trash = join(clonedReposDir, `${TEMPORARY_PREFIX}${randomUUID()}`)
  await rename(gitDir, trash) // gone at once for everybody else, and for `sweep` to finish if this is interrupted
  await rm(trash, { recursive: true, force: true })
}

function noFolder(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [] // nothing was ever cloned
  throw error
}

/**
 * Removes users from every clone, and deletes the clones that have none left: one clone after the other, each under its
 * mutex.
 */
export async function releaseUsers(context: CloneContext, isReleased: (user: CloneUser) => boolean): Promise<void> {
  const { clonedReposDir, mutexes } = context
  const entries = await readdir(clonedReposDir, { withFileTypes: true }).catch(noFolder)
  for (const { name } of entries.filter(entry => entry.isDirectory() && isProjectName(entry.name))) {
    const gitDir = join(clonedReposDir, name)
    const state = await readCloneState(gitDir)
    if (state?.users.some(isReleased) ?? false) {
      await mutexes.run(name.toLowerCase(), async () => await releaseClone(context, gitDir, isReleased))
    }
  }
}
