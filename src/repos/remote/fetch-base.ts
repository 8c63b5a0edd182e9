import { isDeepStrictEqual } from 'node:util'
import { FaultlineError, type ErrorCode } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { NOTHING_COMMITTED } from '../../core/uncommitted.ts'
import { withUser, writeCloneState } from '../clone/clone-state.ts'
import { removeLeftovers } from '../clone/clone-upkeep.ts'
import { cutOffCommits, noteCutOff } from '../history/cut-off-commits.ts'
import { needUsedClone, type ProjectClone, type UsedClone } from '../clone/clone-user.ts'
import { requireFreeSpace } from '../clone/disk-space.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import { isRefName } from '../clone/refs.ts'
import { heldCommits, noSuchClone, type CloneContext } from '../clone/sync.ts'
import { withinLimits } from '../limits.ts'
import { isUploaded, openKnownRemote } from '../uploads/uploaded-remote.ts'
import { findWorkTree } from '../work-tree/find-work-tree.ts'
import { findDefaultBranch, type DefaultBranch } from './default-branch.ts'
import { fetchCommit } from './fetch-commit.ts'
import { fetchNewer } from './fetch-newer.ts'
import { chooseBranch, type RemoteRefs } from './remote-refs.ts'
import type { RemoteSession } from './remote-session.ts'
import type { UrlPolicy } from './repository-url.ts'

/** What work is to begin from. */
export interface BaseRequest extends ProjectClone {
  /** A branch of the remote, which must be reached; without one its default branch, or what the clone has of it. */
  branch?: string
  /** A branch of the project's own that is to hold the commit from now on. */
  hold?: string
}

/** The newest commit of a branch, which the clone holds now. */
export interface FetchedBase {
  repository: string
  branch: string
  commit: string
  /** What could not be brought up to date, in sentences. */
  notes: string[]
}

/** Work can go on without a remote that answers so. */
const OFFLINE: ReadonlySet<ErrorCode> = new Set([
  'ADDRESS_REFUSED',
  'BAD_REPOSITORY_URL',
  'LOCAL_REPOSITORY_REFUSED',
  'REPOSITORY_AUTH_FAILED',
  'REPOSITORY_CORRUPT',
  'REPOSITORY_NOT_FOUND',
  'REPOSITORY_REDIRECTED',
  'REPOSITORY_UNREACHABLE',
  'CLONE_FAILED',
])

interface Basing {
  context: CloneContext & UrlPolicy
  used: UsedClone
  git: LocalGit
  signal: AbortSignal
}

type Base = Omit<FetchedBase, 'repository'>

/** The branch that is wanted, as the remote has it. */
function wantedBranch(
  refs: RemoteRefs,
  { remote }: RemoteSession,
  { branch, isWorkTree }: { branch: string | undefined; isWorkTree: boolean },
): DefaultBranch {
  if (branch === undefined) return findDefaultBranch(refs, { remote, isWorkTree })
  const name = chooseBranch(refs, remote, branch) ?? branch
  return { branch: name, commit: refs.branches.get(name) ?? '', source: `refs/heads/${name}`, note: null }
}

async function fetchTip(
  { context, used: { state }, git, signal }: Basing,
  session: RemoteSession,
  branch: string | undefined,
): Promise<Base> {
  const refs = await session.listRefs(signal, context.limits.answerMs)
  const source = isUploaded(state.url) ? null : await findWorkTree(session.remote)
  const { note, ...tip } = wantedBranch(refs, session, { branch, isWorkTree: source !== null })
  const deep = state.users.some(({ history }) => history === 'full')
  const plan = { ...tip, target: `refs/remotes/origin/${tip.branch}`, wantedId: null }
  const held = await heldCommits(git, state)
  const { commit } = await fetchCommit(session, git, plan, { deep, held, signal, onProgress: () => {} })
  const base = { branch: tip.branch, commit, notes: note === null ? [] : [note] }
  if (source === null || branch !== undefined) return base
  const newer = await fetchNewer(context, { source, git, base, deep }, signal)
  return { ...base, commit: newer.commit ?? commit, notes: [...base.notes, ...newer.notes] }
}

/** What the clone has of the default branch, by what is known of its name. */
async function fromClone({ used: { state, user }, git }: Basing): Promise<Omit<Base, 'notes'>> {
  for (const branch of [state.defaultBranch, 'main', 'master']) {
    const commit = branch === undefined ? null : await git.commitOf(`refs/remotes/origin/${branch}`)
    if (branch !== undefined && commit !== null) return { branch, commit }
  }
  return { branch: user.branch ?? 'HEAD', commit: user.commit }
}

/** Goes on with what the clone has, where a remote cannot be asked. */
async function withoutRemote(basing: Basing, error: unknown): Promise<Base> {
  basing.signal.throwIfAborted()
  if (!(error instanceof FaultlineError) || !OFFLINE.has(error.code)) throw error
  const base = await fromClone(basing)
  if (base.commit === NOTHING_COMMITTED || (await basing.git.commitOf(base.commit)) === null) throw error
  const place = `${base.commit.slice(0, 12)} of "${base.branch}"`
  return { ...base, notes: [`The base is ${place}, as the clone has it. ${error.message}`] }
}

async function tipOf(basing: Basing, branch: string | undefined): Promise<Base> {
  const { context, used, git, signal } = basing
  const { url } = used.state
  try {
    const session = await openKnownRemote(url, context, signal)
    const base = await fetchTip(basing, session, branch)
    if (!isUploaded(url)) return base
    return { ...base, notes: [...base.notes, 'The repository was uploaded: there is no remote with newer commits.'] }
  } catch (error) {
    await removeLeftovers(git.gitDir)
    if (branch !== undefined) throw error
    return await withoutRemote(basing, error)
  }
}

/** Lets the project hold the commit, and the clone know its remote's default branch. */
async function remember(
  { used, git }: Basing,
  { branch, commit }: Base,
  { request, cutOff }: { request: BaseRequest; cutOff: ReadonlySet<string> },
): Promise<void> {
  const { hold } = request
  const { gitDir, user } = used
  const state = await noteCutOff(used.state, gitDir, cutOff)
  const { branches = [] } = user
  const about = request.branch === undefined && branch !== 'HEAD' ? { defaultBranch: branch } : {}
  if (hold !== undefined) await git.updateRefs([{ ref: `refs/heads/${hold}`, commit }])
  const isNew = hold !== undefined && !branches.includes(hold)
  const known = { ...state, ...about }
  const next = isNew ? withUser(known, { ...user, branches: [...branches, hold] }) : known
  if (!isDeepStrictEqual(next, used.state)) await writeCloneState(gitDir, next)
}

/**
 * Fetches the newest commit of the remote's default branch, or of another one, into a clone, and lets a branch of the
 * project's own hold it. What any project has indexed stays as it is. In a person's repository on this machine the
 * local branch counts, unless `origin` is ahead of it; nothing is written there. Waits for running writes to the clone.
 *
 * @returns Without a remote that answers, what the clone has of its default branch, and a note that says so.
 * @throws {FaultlineError} NOT_FOUND: no such clone. EMPTY_REPOSITORY, BRANCH_NOT_FOUND; and what a sync throws that is
 * no matter of the remote, or any of it where a branch was named.
 */
export async function fetchBase(
  context: CloneContext & UrlPolicy,
  request: BaseRequest,
  outer: AbortSignal,
): Promise<FetchedBase> {
  const { repository, branch, hold } = request
  if (!isProjectName(repository)) throw noSuchClone(repository)
  for (const name of [branch, hold]) {
    if (name !== undefined && !isRefName(name)) {
      throw new FaultlineError('BAD_REF', `No branch: ${JSON.stringify(name)}.`)
    }
  }
  async function fetch(): Promise<FetchedBase> {
    const used = await needUsedClone(context, request)
    await requireFreeSpace(used.gitDir, context.limits.minFreeBytes)
    return await withinLimits(used.gitDir, context.limits, outer, async signal => {
      const basing = { context, used, git: openLocalGit(used.gitDir, { ...context, signal }), signal }
      const cutOff = await cutOffCommits(used.gitDir)
      const base = await tipOf(basing, branch)
      await remember(basing, base, { request, cutOff })
      return { repository, ...base }
    })
  }
  return await context.mutexes.run(repository.toLowerCase(), fetch, outer)
}
