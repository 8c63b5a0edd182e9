import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { readCloneState } from '../clone/clone-state.ts'
import { openRemote } from './remote-session.ts'
import { parseRepositoryUrl, type UrlPolicy } from './repository-url.ts'
import { isUploaded } from '../uploads/uploaded-remote.ts'
import { noSuchClone, type CloneContext } from '../clone/sync.ts'

/** A branch to push, and for which project. */
export interface PushRequest {
  repository: string
  projectName: string
  /** A branch that `commitFiles` made for this project. */
  branch: string
}

/**
 * Pushes a branch to the remote that the clone came from, under its own name, and never over what is there. The address
 * is checked as for a sync.
 *
 * @throws {FaultlineError} NOT_FOUND; PUSH_REJECTED; what a sync throws about addresses and remotes.
 */
export async function pushBranch(
  context: CloneContext & UrlPolicy,
  { repository, projectName, branch }: PushRequest,
  signal: AbortSignal,
): Promise<void> {
  const gitDir = join(context.clonedReposDir, repository)
  const state = isProjectName(repository) ? await readCloneState(gitDir) : null
  const user = state?.users.find(({ project }) => project.toLowerCase() === projectName.toLowerCase())
  if (state === null || user === undefined) throw noSuchClone(repository)
  if (user.branches?.includes(branch) !== true) {
    throw new FaultlineError('NOT_FOUND', `The project has no branch "${branch}" of its own.`)
  }
  if (isUploaded(state.url)) {
    throw new FaultlineError(
      'PUSH_REJECTED',
      `The repository "${repository}" was uploaded: there is no remote to push to.`,
      'GET /jobs/{id}/patch has the commit.',
    )
  }
  const session = await openRemote(await parseRepositoryUrl(state.url, context), context, signal)
  const late = AbortSignal.timeout(context.limits.wallMs)
  try {
    await session.push({ gitDir, branch, signal: AbortSignal.any([signal, late]) })
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) {
      throw new FaultlineError(
        'REPOSITORY_UNREACHABLE',
        `"${state.url}" did not take the branch within ${Math.round(context.limits.wallMs / 1000)} s.`,
        'Check the network, then push the branch again.',
      )
    }
    throw error
  }
}
