import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { readCloneState, type CloneState, type CloneUser } from './clone-state.ts'
import { noSuchClone } from './sync.ts'

/** A clone, and the project that something of it is wanted for. */
export interface ProjectClone {
  repository: string
  projectName: string
}

/** What a project has of a clone, as it was recorded last. */
export interface UsedClone {
  gitDir: string
  state: CloneState
  user: CloneUser
}

/** Whether two names are those of one project, which never differ in case alone. */
const isSameProject = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** What a project has of a clone; null where there is no such clone, or the project has nothing of it. */
export async function findUsedClone(
  { clonedReposDir }: { clonedReposDir: string },
  { repository, projectName }: ProjectClone,
): Promise<UsedClone | null> {
  if (!isProjectName(repository)) return null
  const gitDir = join(clonedReposDir, repository)
  const state = await readCloneState(gitDir)
  const user = state?.users.find(({ project }) => isSameProject(project, projectName))
  return state === null || user === undefined ? null : { gitDir, state, user }
}

/** As `findUsedClone`. @throws {FaultlineError} NOT_FOUND */
export async function needUsedClone(context: { clonedReposDir: string }, of: ProjectClone): Promise<UsedClone> {
  const found = await findUsedClone(context, of)
  if (found === null) throw noSuchClone(of.repository)
  return found
}

/** @throws {FaultlineError} NOT_FOUND: the branch was not committed for the project. */
export function needOwnBranch({ branches = [] }: CloneUser, branch: string): void {
  if (branches.includes(branch)) return
  throw new FaultlineError('NOT_FOUND', `The project has no branch ${JSON.stringify(branch)} of its own.`)
}
