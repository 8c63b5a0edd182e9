import { FaultlineError } from '../../core/errors.ts'
import { needOwnBranch, needUsedClone } from '../clone/clone-user.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import { isCommitId } from '../clone/refs.ts'
import { noSuchClone, type CloneContext } from '../clone/sync.ts'
import { isProjectName } from '../../core/project.ts'
import { fetchPast } from '../remote/fetch-past.ts'
import type { UrlPolicy } from '../remote/repository-url.ts'
import { noSuchCommit } from './commit-reader.ts'
import { writeMergeCommit } from './merge-commit.ts'

/** A branch of the project's own, and the commit that it is to be merged with. */
export interface MergeRequest {
  repository: string
  projectName: string
  /** A branch that `commitFiles` made for this project. */
  branch: string
  /** The commit that is merged into; it becomes the first parent. */
  onto: string
  /**
   * A commit that `onto` has to contain. Where it does not, its branch was rewritten, and a merge would bring back what
   * was taken out of it.
   */
  since?: string
  message: string
  /** Date of the commit, in seconds since 1970. */
  date: number
}

/**
 * The merge commit, or the paths that both sides changed. `isThere`: `onto` holds the branch already. `isRewritten`: no
 * common past was found.
 */
export type MergedBranch = { commit: string; isThere?: true } | { conflicts: string[]; isRewritten?: true }

const USAGE = 129

/** The parents that a commit names, also where the clone is cut off there. */
async function parentsOf(git: LocalGit, commit: string): Promise<string[]> {
  const [header = ''] = (await git.run(['cat-file', 'commit', commit])).stdout.toString().split('\n\n', 1)
  return header.split('\n').flatMap(line => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []))
}

/** The commit by which `onto` came to hold `tip`; null where it does not, as far as the clone knows. */
async function mergeThatBrought(git: LocalGit, tip: string, onto: string): Promise<string | null> {
  if (tip === onto || (await parentsOf(git, onto)).includes(tip)) return onto
  if (!(await git.isAncestor(tip, onto))) return null
  const { stdout } = await git.run(['rev-list', '--ancestry-path', '--topo-order', '--reverse', `${tip}..${onto}`])
  const [first = ''] = stdout.toString().split('\n', 1)
  return isCommitId(first) ? first : onto
}

interface Merging {
  git: LocalGit
  tip: string
  request: MergeRequest
}

/** Whether both sides have a past in common. */
async function areRelated({ git, tip, request: { onto, since } }: Merging): Promise<boolean> {
  if (since !== undefined) return await git.isAncestor(since, onto)
  return (await git.run(['merge-base', onto, tip])).exitCode === 0
}

const tooOld = (): FaultlineError =>
  new FaultlineError(
    'GIT_NOT_FOUND',
    'The git of this machine cannot merge without a work tree.',
    'Install git 2.38 or newer.',
  )

/**
 * The tree that two commits come to together, and the paths that both changed in different ways.
 *
 * @throws {FaultlineError} GIT_NOT_FOUND: git is older than 2.38.
 */
export async function conflictsOf(
  git: LocalGit,
  onto: string,
  tip: string,
): Promise<{ tree: string; paths: string[] }> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', onto, tip]
  const { exitCode, stdout, stderr } = await git.run(args)
  const [tree = '', ...paths] = stdout.toString().split('\0')
  if (exitCode === USAGE) throw tooOld()
  if (exitCode > 1 || !isCommitId(tree)) throw new Error(`git merge-tree failed: ${stderr}`)
  return { tree, paths: exitCode === 1 ? [...new Set(paths.filter(path => path !== ''))] : [] }
}

async function mergeTrees({ git, tip, request }: Merging): Promise<MergedBranch> {
  const { onto, message, date } = request
  const { tree, paths } = await conflictsOf(git, onto, tip)
  if (paths.length > 0) return { conflicts: paths }
  return { commit: await writeMergeCommit(git, { tree, parents: [onto, tip], message, date }) }
}

async function merge(
  context: CloneContext & UrlPolicy,
  request: MergeRequest,
  signal: AbortSignal,
): Promise<MergedBranch> {
  const { repository, branch, onto } = request
  const used = await needUsedClone(context, request)
  needOwnBranch(used.user, branch)
  const git = openLocalGit(used.gitDir, { ...context, signal })
  const tip = await git.commitOf(`refs/heads/${branch}`)
  if (tip === null || (await git.commitOf(onto)) === null) throw noSuchCommit(repository, tip === null ? branch : onto)

  const merging = { git, tip, request }
  const known = await mergeThatBrought(git, tip, onto)
  if (known !== null) return { commit: known, isThere: true }
  const isEnough = (): Promise<boolean> => areRelated(merging)
  if (!(await isEnough()) && !(await fetchPast(context, used, { git, before: [onto], isEnough }, signal))) {
    return { conflicts: [], isRewritten: true }
  }
  const found = await mergeThatBrought(git, tip, onto)
  return found === null ? await mergeTrees(merging) : { commit: found, isThere: true }
}

/**
 * Merges a branch of the project's own into a commit: a commit of ours that no ref holds, made without a work tree, a
 * hook or a filter. Where a clone is so shallow that no common past is known, what was before `onto` is fetched.
 * Idempotent: the same call gives the same commit, and where `onto` holds the branch already, the commit by which it
 * came there. Waits for running writes to the clone.
 *
 * @throws {FaultlineError} NOT_FOUND: no such clone, branch or commit. GIT_NOT_FOUND: git is older than 2.38. What a
 * fetch throws.
 */
export async function mergeBranch(
  context: CloneContext & UrlPolicy,
  request: MergeRequest,
  signal: AbortSignal,
): Promise<MergedBranch> {
  const { repository, onto, since } = request
  if (!isProjectName(repository)) throw noSuchClone(repository)
  for (const commit of [onto, since ?? onto]) if (!isCommitId(commit)) throw noSuchCommit(repository, commit)
  return await context.mutexes.run(repository.toLowerCase(), async () => await merge(context, request, signal), signal)
}
