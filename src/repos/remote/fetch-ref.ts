import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import { readCloneState, writeCloneState, type CloneState } from '../clone/clone-state.ts'
import { removeLeftovers } from '../clone/clone-upkeep.ts'
import { requireFreeSpace } from '../clone/disk-space.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import { isCommitId, isRefName } from '../clone/refs.ts'
import type { CloneContext } from '../clone/sync.ts'
import { withinLimits } from '../limits.ts'
import { openKnownRemote } from '../uploads/uploaded-remote.ts'
import { dropConflicts } from './fetch-commit.ts'
import { FETCHED_REFS, planFetch, type FetchPlan } from './fetch-plan.ts'
import type { RemoteSession } from './remote-session.ts'
import type { UrlPolicy } from './repository-url.ts'

/** A commit, tag or branch that a client named, and the clone that it is wanted in. */
export interface RefRequest {
  repository: string
  ref: string
  /** How long all of it may take; 0 does without the network. */
  timeoutMs: number
}

/** The commit, or why there is none. */
export type FetchedRef = { commit: string } | { commit: null; reason: string }

/** A commit with its whole history is asked for first, for so much of the time. */
const WHOLE_SHARE = 0.5

/** The plan for a name; a whole commit id needs no list of what the remote has. */
async function planOf(session: RemoteSession, ref: string, signal: AbortSignal, answerMs: number): Promise<FetchPlan> {
  if (isCommitId(ref)) {
    return { branch: null, source: ref, target: `${FETCHED_REFS}/${ref}`, commit: ref, wantedId: ref }
  }
  const plan = planFetch(await session.listRefs(signal, answerMs), session.remote, { ref })
  // the rest of a short id stands in the history alone, all of which would have to be fetched
  if (plan.commit !== null) return plan
  throw new FaultlineError('REF_NOT_FOUND', 'its remote has no commit, tag or branch of that name')
}

interface Fetching {
  git: LocalGit
  session: RemoteSession
  plan: FetchPlan
  signal: AbortSignal
}

/**
 * Fetches a commit together with what leads to it from commits that are there, in the time that this may take.
 *
 * @returns Whether it is there.
 */
async function fetchWhole({ git, session, plan, signal }: Fetching, timeoutMs: number): Promise<boolean> {
  const late = AbortSignal.timeout(timeoutMs)
  const refspecs = [`+${plan.source}:${plan.target}`]
  try {
    const both = AbortSignal.any([signal, late])
    return (await session.fetch({ gitDir: git.gitDir, refspecs, depth: null, signal: both })) === 'fetched'
  } catch (error) {
    signal.throwIfAborted()
    if (!late.aborted) throw error
    await removeLeftovers(git.gitDir)
    return false
  }
}

/** Fetches a commit without what was before it, and notes where the history is cut off by that. */
async function fetchAlone({ git, session, plan, signal }: Fetching, state: CloneState): Promise<CloneState> {
  const refspecs = [`+${plan.source}:${plan.target}`]
  const outcome = await session.fetch({ gitDir: git.gitDir, refspecs, depth: 1, signal })
  if (outcome !== 'fetched') throw new FaultlineError('REF_NOT_FOUND', 'its remote does not give out such a commit')
  const commit = await git.commitOf(plan.target)
  const { cutOff = [] } = state
  return commit === null ? state : { ...state, cutOff: [...new Set([...cutOff, commit])] }
}

async function fetchInto(
  context: CloneContext & UrlPolicy,
  state: CloneState,
  { git, ref, timeoutMs, signal }: { git: LocalGit; ref: string; timeoutMs: number; signal: AbortSignal },
): Promise<string> {
  await requireFreeSpace(git.gitDir, context.limits.minFreeBytes)
  const session = await openKnownRemote(state.url, context, signal)
  const plan = await planOf(session, ref, signal, timeoutMs)
  const fetching = { git, session, plan, signal }
  await dropConflicts(git, plan.target)
  const isDeep = state.users.some(({ history }) => history === 'full')
  const isWhole = isDeep && (await fetchWhole(fetching, timeoutMs * WHOLE_SHARE))
  const next = isWhole ? state : await fetchAlone(fetching, state)
  const commit = await git.commitOf(plan.target)
  if (plan.wantedId !== null) await git.updateRefs([{ ref: plan.target, commit: null }])
  await writeCloneState(git.gitDir, next) // also tells those who remember tags
  if (commit === null) throw new FaultlineError('REF_NOT_FOUND', 'what its remote has there is no commit')
  return commit
}

function reasonOf(error: unknown, timeoutMs: number): string | null {
  if (!(error instanceof FaultlineError)) return null
  if (error.code === 'CLONE_TIMED_OUT') return `fetching it took longer than ${Math.round(timeoutMs / 1000)} s`
  return error.message.replace(/\.$/, '')
}

/**
 * Finds what a client named in a clone, and fetches it from the remote that the clone came from when it is not there:
 * one commit, and nothing that any project has indexed changes. The address is checked and pinned as for a sync.
 *
 * @returns Why there is no such commit, as the end of a sentence, where that is so.
 * @throws The signal's reason; errors that are bugs.
 */
export async function fetchRef(
  context: CloneContext & UrlPolicy,
  { repository, ref, timeoutMs }: RefRequest,
  outer: AbortSignal,
): Promise<FetchedRef> {
  if (!isProjectName(repository) || !isRefName(ref) || ref.startsWith('refs/')) {
    return { commit: null, reason: 'that is no name of a commit' }
  }
  const gitDir = join(context.clonedReposDir, repository)
  const git = openLocalGit(gitDir, { ...context, signal: outer })
  const name = isCommitId(ref.toLowerCase()) ? ref.toLowerCase() : ref
  const found = (await readCloneState(gitDir)) === null ? null : await git.resolve(name)
  if (found !== null) return { commit: found }
  if (timeoutMs === 0) return { commit: null, reason: 'the clone has no such commit' }
  const limits = { ...context.limits, wallMs: timeoutMs }
  const late = AbortSignal.timeout(timeoutMs)
  const waiting = AbortSignal.any([outer, late])
  try {
    return await context.mutexes.run(
      repository.toLowerCase(),
      async () => {
        const state = await readCloneState(gitDir)
        if (state === null) return { commit: null, reason: 'its clone is gone' }
        return await withinLimits(gitDir, limits, outer, async signal => ({
          commit: await fetchInto(context, state, {
            git: openLocalGit(gitDir, { ...context, signal }),
            ref: name,
            timeoutMs,
            signal,
          }),
        })).catch(async (error: unknown) => {
          await removeLeftovers(gitDir)
          throw error
        })
      },
      waiting,
    )
  } catch (error) {
    outer.throwIfAborted()
    if (late.aborted) return { commit: null, reason: `fetching it took longer than ${Math.round(timeoutMs / 1000)} s` }
    const reason = reasonOf(error, timeoutMs)
    if (reason === null) throw error
    return { commit: null, reason }
  }
}
