import { isProjectName } from '../../core/project.ts'
import { needOwnBranch, needUsedClone } from '../clone/clone-user.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { noSuchClone, type CloneContext } from '../clone/sync.ts'
import { noSuchCommit } from './commit-reader.ts'
import { writeMergeCommit } from './merge-commit.ts'

/** A commit that takes the place of what a branch holds, and when. */
export interface JoinRequest {
  repository: string
  projectName: string
  /** A branch that `commitFiles` made for this project. */
  branch: string
  /** What the branch is to hold afterwards, to the letter. */
  commit: string
  message: string
  /** Date of the commit, in seconds since 1970. */
  date: number
}

async function joined(context: CloneContext, request: JoinRequest, signal: AbortSignal): Promise<{ commit: string }> {
  const { repository, branch, commit, message, date } = request
  const { gitDir, user } = await needUsedClone(context, request)
  needOwnBranch(user, branch)
  const git = openLocalGit(gitDir, { ...context, signal })
  const ref = `refs/heads/${branch}`
  const tip = await git.commitOf(ref)
  if (tip === null || (await git.commitOf(commit)) === null) throw noSuchCommit(repository, tip === null ? ref : commit)
  const text = async (...args: string[]): Promise<string> => (await git.run(args)).stdout.toString().trim()
  if (tip === commit || (await text('rev-parse', '--verify', '--quiet', `${tip}^2`)) === commit) return { commit: tip }

  const tree = await text('rev-parse', '--verify', `${commit}^{tree}`)
  const made = await writeMergeCommit(git, { tree, parents: [tip, commit], message, date })
  await git.updateRefs([{ ref, commit: made }])
  return { commit: made }
}

/**
 * Puts a commit in the place of what a branch of the project's own holds, so that the branch can be pushed over what
 * was pushed of it: a merge of both whose files are those of the commit. Idempotent. Waits for running writes to the
 * clone.
 *
 * @throws {FaultlineError} NOT_FOUND: no such clone, branch or commit. DISK_FULL.
 */
export async function joinBranch(
  context: CloneContext,
  request: JoinRequest,
  signal: AbortSignal,
): Promise<{ commit: string }> {
  const { repository } = request
  if (!isProjectName(repository)) throw noSuchClone(repository)
  return await context.mutexes.run(repository.toLowerCase(), async () => await joined(context, request, signal), signal)
}
