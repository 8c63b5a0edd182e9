import { FaultlineError } from '../../core/errors.ts'
import { needOwnBranch, needUsedClone, type ProjectClone } from '../clone/clone-user.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { isCommitId, isRefName } from '../clone/refs.ts'
import type { CloneContext } from '../clone/sync.ts'
import { withCommitPlace } from '../git/git-errors.ts'
import { isUploaded } from '../uploads/uploaded-remote.ts'
import { isOwnCommit } from './own-commits.ts'
import { openRemote, type RemoteSession } from './remote-session.ts'
import { parseRepositoryUrl, type UrlPolicy } from './repository-url.ts'

/** A branch to push, and for which project. */
export interface PushRequest extends ProjectClone {
  /** A branch that `commitFiles` made for this project. */
  branch: string
  /**
   * Where it is to hold nothing but our commits: what they began from, and the last that is known to be on the remote,
   * null for none. Default: whatever it holds that leads to ours is moved on.
   */
  own?: { base: string; pushed: string | null }
}

/** A commit that a branch of the remote is to hold. */
export interface PushOntoRequest extends ProjectClone {
  commit: string
  /** Of the remote. */
  branch: string
  /** What the branch holds there, which `commit` has to contain. */
  expected: string
}

/** Works with the remote of a clone for as long as a sync may. */
async function atRemote<T>(
  context: CloneContext & UrlPolicy,
  { repository, url }: { repository: string; url: string },
  outer: AbortSignal,
  work: (session: RemoteSession, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (isUploaded(url)) {
    throw new FaultlineError(
      'PUSH_REJECTED',
      `The repository "${repository}" was uploaded: there is no remote to push to.`,
      'GET /jobs/{id}/patch has the commit.',
    )
  }
  const session = await openRemote(await parseRepositoryUrl(url, context), context, outer)
  const late = AbortSignal.timeout(context.limits.wallMs)
  try {
    return await work(session, AbortSignal.any([outer, late]))
  } catch (error) {
    outer.throwIfAborted()
    if (late.aborted) {
      throw new FaultlineError(
        'REPOSITORY_UNREACHABLE',
        `"${url}" did not take the branch within ${Math.round(context.limits.wallMs / 1000)} s.`,
        'Check the network, then push the branch again.',
      )
    }
    throw error
  }
}

const notOurs = (url: string, branch: string, what: string, fix: string): FaultlineError =>
  withCommitPlace(
    new FaultlineError('PUSH_REJECTED', `"${url}" was not pushed to: the branch "${branch}" ${what}.`, fix),
  )

/** What the remote must still hold for a push; null for no such branch. @throws {FaultlineError} PUSH_REJECTED */
async function heldByUs(
  git: ReturnType<typeof openLocalGit>,
  tip: string | null,
  { url, branch, own }: { url: string; branch: string; own: NonNullable<PushRequest['own']> },
): Promise<string | null> {
  const { base, pushed } = own
  if (tip === pushed) return tip
  if (tip === null) {
    throw notOurs(url, branch, 'is no longer there', 'Somebody deleted it: push its commit there by hand, or abort.')
  }
  const commit = await git.readRef(`refs/heads/${branch}`)
  // one that was pushed although its answer was lost is newer than the last that is known
  if (commit !== null && (await isOwnCommit(git, tip, { base: pushed ?? base, commit }))) return tip
  const what = `holds ${tip.slice(0, 12)}, which is not ours`
  throw notOurs(url, branch, what, 'Somebody has changed it there: rename or delete that one.')
}

/**
 * Pushes a branch to the remote that the clone came from, under its own name, and never over what is there. The address
 * is checked as for a sync.
 *
 * @throws {FaultlineError} NOT_FOUND; PUSH_REJECTED; what a sync throws about addresses and remotes.
 */
export async function pushBranch(
  context: CloneContext & UrlPolicy,
  request: PushRequest,
  signal: AbortSignal,
): Promise<void> {
  const { repository, branch, own } = request
  const { gitDir, state, user } = await needUsedClone(context, request)
  needOwnBranch(user, branch)
  const { url } = state
  await atRemote(context, { repository, url }, signal, async (session, both) => {
    if (own === undefined) return session.push({ gitDir, branch, signal: both })
    const git = openLocalGit(gitDir, { ...context, signal: both })
    const { branches } = await session.listRefs(both, context.limits.answerMs).catch((error: unknown) => {
      throw error instanceof FaultlineError ? withCommitPlace(error) : error
    })
    const tip = branches.get(branch) ?? null
    const held = await heldByUs(git, tip, { url, branch, own })
    return session.push({ gitDir, branch, held, signal: both })
  })
}

/** What a branch of the remote holds after a push that it did not take. */
async function afterRefusal(
  session: RemoteSession,
  { commit, branch, expected }: PushOntoRequest,
  { answerMs, signal, refusal }: { answerMs: number; signal: AbortSignal; refusal: unknown },
): Promise<'pushed' | 'moved'> {
  if (!(refusal instanceof FaultlineError) || refusal.code !== 'PUSH_REJECTED') throw refusal
  const tip = (await session.listRefs(signal, answerMs)).branches.get(branch) ?? null
  if (tip === commit) return 'pushed'
  if (tip !== expected) return 'moved'
  throw refusal
}

/**
 * Moves a branch of the remote that the clone came from on to a commit of the clone: a fast-forward, from what the
 * remote is expected to hold and from nothing else. Idempotent: a remote that holds the commit has it.
 *
 * @returns `moved` where the branch holds something else by now, and nothing was pushed.
 * @throws {FaultlineError} NOT_FOUND: no such clone. BAD_REF: it would be no fast-forward. PUSH_REJECTED: the remote
 * does not let anybody do this. What a sync throws about addresses and remotes.
 */
export async function pushOnto(
  context: CloneContext & UrlPolicy,
  request: PushOntoRequest,
  signal: AbortSignal,
): Promise<'pushed' | 'moved'> {
  const { repository, commit, branch, expected } = request
  const { gitDir, state } = await needUsedClone(context, request)
  const areNames = isRefName(branch) && isCommitId(commit) && isCommitId(expected)
  const git = openLocalGit(gitDir, { ...context, signal })
  if (!areNames || !(await git.isAncestor(expected, commit))) {
    throw new FaultlineError('BAD_REF', `${JSON.stringify(branch)} cannot be moved on to ${JSON.stringify(commit)}.`)
  }
  return await atRemote(context, { repository, url: state.url }, signal, async (session, both) => {
    try {
      await session.push({ gitDir, branch, move: { commit, expected }, signal: both })
      return 'pushed'
    } catch (refusal) {
      return await afterRefusal(session, request, { ...context.limits, signal: both, refusal })
    }
  })
}
