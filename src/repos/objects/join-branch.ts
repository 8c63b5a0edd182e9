import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { readCloneState } from '../clone/clone-state.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { isCommitId } from '../clone/refs.ts'
import { noSuchClone, type CloneContext } from '../clone/sync.ts'
import { noSuchCommit } from './commit-reader.ts'

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

const WHO = { NAME: 'Faultline', EMAIL: 'faultline@localhost' }

/** `key value` lines of a commit object before its message. */
function headerOf({ tree, parents, date }: { tree: string; parents: readonly string[]; date: number }): string {
  const who = `${WHO.NAME} <${WHO.EMAIL}> ${Math.trunc(date)} +0000`
  const lines = [`tree ${tree}`, ...parents.map(parent => `parent ${parent}`), `author ${who}`, `committer ${who}`]
  return lines.join('\n')
}

async function joined(
  { clonedReposDir, searchPath }: CloneContext,
  { repository, projectName, branch, commit, message, date }: JoinRequest,
  signal: AbortSignal,
): Promise<{ commit: string }> {
  const gitDir = join(clonedReposDir, repository)
  const state = await readCloneState(gitDir)
  const user = state?.users.find(({ project }) => project.toLowerCase() === projectName.toLowerCase())
  if (user?.branches?.includes(branch) !== true) {
    throw new FaultlineError('NOT_FOUND', `The project has no branch ${JSON.stringify(branch)} of its own.`)
  }
  const git = openLocalGit(gitDir, { searchPath, signal })
  const ref = `refs/heads/${branch}`
  const tip = await git.commitOf(ref)
  if (tip === null || (await git.commitOf(commit)) === null) throw noSuchCommit(repository, tip === null ? ref : commit)
  const text = async (...args: string[]): Promise<string> => (await git.run(args)).stdout.toString().trim()
  if (tip === commit || (await text('rev-parse', '--verify', '--quiet', `${tip}^2`)) === commit) return { commit: tip }

  const tree = await text('rev-parse', '--verify', `${commit}^{tree}`)
  const object = `${headerOf({ tree, parents: [tip, commit], date })}\n\n${message.toWellFormed().replaceAll('\0', '')}`
  const { exitCode, stdout, stderr } = await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], object)
  const made = stdout.toString().trim()
  if (exitCode !== 0 || !isCommitId(made)) throw new Error(`git hash-object failed: ${stderr}`)
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
