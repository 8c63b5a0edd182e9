import { readdir } from 'node:fs/promises'
import { isProjectName } from '../../core/project.ts'
import { withUser, writeCloneState } from './clone-state.ts'
import { findUsedClone, type ProjectClone } from './clone-user.ts'
import { openLocalGit } from './local-git.ts'
import type { CloneContext } from './sync.ts'

/** A branch that was committed for a project. */
export interface OwnBranch extends ProjectClone {
  branch: string
}

/** The branches that were committed for a project, in all its clones. */
export async function listOwnBranches(
  { clonedReposDir }: Pick<CloneContext, 'clonedReposDir'>,
  projectName: string,
): Promise<OwnBranch[]> {
  const names = (await readdir(clonedReposDir).catch(() => [])).filter(isProjectName).sort()
  const branchesOf = async (repository: string): Promise<OwnBranch[]> => {
    const used = await findUsedClone({ clonedReposDir }, { repository, projectName })
    return (used?.user.branches ?? []).map(branch => ({ repository, projectName, branch }))
  }
  return (await Promise.all(names.map(branchesOf))).flat()
}

/**
 * Deletes a branch that was committed for a project. Its commits stay in the clone, as what no ref reaches does.
 * Idempotent: what is not there is deleted. Waits for running writes to the clone.
 */
export async function deleteOwnBranch(context: CloneContext, of: OwnBranch, signal: AbortSignal): Promise<void> {
  const { repository, branch } = of
  async function remove(): Promise<void> {
    const used = await findUsedClone(context, of)
    const branches = used?.user.branches ?? []
    if (used === null || !branches.includes(branch)) return
    const { gitDir, state, user } = used
    await openLocalGit(gitDir, { ...context, signal }).updateRefs([{ ref: `refs/heads/${branch}`, commit: null }])
    const left = branches.filter(name => name !== branch)
    await writeCloneState(gitDir, withUser(state, { ...user, branches: left }))
  }
  await context.mutexes.run(repository.toLowerCase(), remove, signal)
}
