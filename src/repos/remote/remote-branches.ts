import { FaultlineError } from '../../core/errors.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { needUsedClone, type ProjectClone } from '../clone/clone-user.ts'
import { isCommitId, isRefName } from '../clone/refs.ts'
import type { CloneContext } from '../clone/sync.ts'
import { isUploaded } from '../uploads/uploaded-remote.ts'
import { isOwnCommit } from './own-commits.ts'
import { openRemote } from './remote-session.ts'
import { parseRepositoryUrl, type UrlPolicy } from './repository-url.ts'

/** Names that a branch may get. */
export interface BranchNames extends ProjectClone {
  names: readonly string[]
}

/** Which of the names are taken, and why that may not be all of them. */
export interface TakenBranches {
  taken: string[]
  /** Why the remote could not be asked; null where it was. */
  notAsked: string | null
}

/** A branch of ours on the remote. */
export interface RemoteBranch extends ProjectClone {
  branch: string
  /** The last commit that we pushed there, or were about to push. */
  commit: string
  /** What our first commit is on; null where that is not known. */
  base: string | null
}

/** Whether refs of both names cannot exist beside each other: `a` is a file where `a/b` needs a folder. */
const exclude = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)

/**
 * Which names for branches are taken, in the clone or on the remote: also where a branch of that name could not be made
 * beside another one. A remote that does not answer is left out, and that is told.
 *
 * @throws {FaultlineError} NOT_FOUND: no such clone. BAD_REF: a name that no branch can have.
 */
export async function branchesTaken(
  context: CloneContext & UrlPolicy,
  { names, ...of }: BranchNames,
  signal: AbortSignal,
): Promise<TakenBranches> {
  const bad = names.find(name => !isRefName(name))
  if (bad !== undefined) throw new FaultlineError('BAD_REF', `${JSON.stringify(bad)} cannot be the name of a branch.`)
  const { gitDir, state } = await needUsedClone(context, of)
  const git = openLocalGit(gitDir, { ...context, signal })
  const here = (await git.refNames('refs/heads/')).map(ref => ref.slice('refs/heads/'.length))
  const takenBy = (branches: readonly string[]): string[] =>
    names.filter(name => branches.some(branch => exclude(branch, name)))
  if (isUploaded(state.url)) return { taken: takenBy(here), notAsked: null }
  try {
    const session = await openRemote(await parseRepositoryUrl(state.url, context), context, signal)
    const { branches } = await session.listRefs(signal, context.limits.answerMs)
    return { taken: takenBy([...here, ...branches.keys()]), notAsked: null }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    return { taken: takenBy(here), notAsked: error.message }
  }
}

/**
 * Deletes a branch of ours on the remote that the clone came from, unless it holds a commit that is not ours: what
 * somebody else put there is kept, also where our commits began. Never the branch that the remote calls its default.
 * Idempotent.
 *
 * @throws {FaultlineError} NOT_FOUND: no such clone. PUSH_REJECTED: the remote does not let anybody do this. What a
 * sync throws about addresses and remotes.
 */
export async function deleteRemoteBranch(
  context: CloneContext & UrlPolicy,
  { branch, commit, base, ...of }: RemoteBranch,
  signal: AbortSignal,
): Promise<'deleted' | 'missing' | 'kept'> {
  const { gitDir, state } = await needUsedClone(context, of)
  if (!isRefName(branch) || !isCommitId(commit) || (base !== null && !isCommitId(base))) {
    throw new FaultlineError('BAD_REF', `${JSON.stringify(branch)} cannot be deleted.`)
  }
  if (isUploaded(state.url)) return 'missing'
  const session = await openRemote(await parseRepositoryUrl(state.url, context), context, signal)
  const { branches, defaultBranch } = await session.listRefs(signal, context.limits.answerMs)
  const tip = branches.get(branch)
  if (tip === undefined) return 'missing'
  const isOurs = await isOwnCommit(openLocalGit(gitDir, { ...context, signal }), tip, { base, commit })
  if (!isOurs || branch === defaultBranch) return 'kept'
  await session.push({ gitDir, branch, remove: { expected: tip }, signal })
  return 'deleted'
}
