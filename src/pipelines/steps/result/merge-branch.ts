import type { JobContext } from '../../../jobs/job-context.ts'
import type { Repos } from '../../../repos/repos.ts'
import type { ProjectBase } from '../base/project-base.ts'

/** What merging needs. */
export interface MergeDeps {
  git: Pick<Repos, 'fetchBase' | 'mergeBranch' | 'pushOnto'>
}

/** A branch that passed, and what it is to be merged into. */
interface MergeRequest {
  /** The commit that the branch began with. */
  at: ProjectBase['at']
  branch: string
  /** The default branch of the remote. */
  baseBranch: string
  /** Of the merge commit. */
  message: string
}

/** The merge commit, or what a coder is told who is to go on from there. */
type BranchMerge =
  | { merged: true; commit: string }
  | { merged: false; /** Paths that both sides changed. */ conflicts: string[]; message: string }

/** How often the branch may move while it is merged into. */
const ROUNDS = 2
const MAX_SHOWN = 20

function refused(
  { baseBranch }: MergeRequest,
  { conflicts, isRewritten }: { conflicts: string[]; isRewritten?: true },
): BranchMerge {
  if (isRewritten === true) {
    const message = `"${baseBranch}" was rewritten since the work on it began: it does not hold its base any more.`
    return { merged: false, conflicts, message }
  }
  const shown = conflicts.slice(0, MAX_SHOWN).map(path => JSON.stringify(path))
  const more = conflicts.length > MAX_SHOWN ? ` and ${conflicts.length - MAX_SHOWN} more` : ''
  const message = `The change conflicts with what came to "${baseBranch}" meanwhile, in ${shown.join(', ')}${more}.`
  return { merged: false, conflicts, message }
}

/** The time of the merge commit, which is the same when it is made again after a kill. */
export const mergeDate = (job: Pick<JobContext, 'step'>): Promise<number> =>
  job.step('merge.date', async () => Math.floor(Date.now() / 1000))

/** Merges into what the remote has now; nothing is pushed. */
async function mergeFresh(
  { git }: MergeDeps,
  request: MergeRequest,
  { date, since, signal }: { date: number; since?: string; signal: AbortSignal },
) {
  const { projectName, repository } = request.at
  const of = { projectName, repository }
  const { commit: onto } = await git.fetchBase({ ...of, branch: request.baseBranch }, signal)
  const made = await git.mergeBranch(
    { ...of, branch: request.branch, onto, since, message: request.message, date },
    signal,
  )
  return { onto, made }
}

/**
 * Merges a branch into what the remote has now, and pushes that as a fast-forward, never by force. Idempotent: a merge
 * that is there already is found. For a step.
 *
 * @returns Null where the branch of the remote moved during the push.
 * @throws {FaultlineError} PUSH_REJECTED: the remote does not take it from us. What a fetch throws.
 */
export async function mergeOnce(
  job: Pick<JobContext, 'log'>,
  deps: MergeDeps,
  request: MergeRequest,
  { date, signal }: { date: number; signal: AbortSignal },
): Promise<BranchMerge | null> {
  const { at, baseBranch } = request
  const { projectName, repository } = at
  const { onto, made } = await mergeFresh(deps, request, { date, since: at.commit, signal })
  if (!('commit' in made)) return refused(request, made)
  const { commit, isThere = false } = made
  const push = { repository, projectName, commit, branch: baseBranch, expected: onto }
  const pushed = isThere ? 'pushed' : await deps.git.pushOnto(push, signal)
  job.log(pushed === 'pushed' ? `Merged into ${baseBranch}: ${commit}.` : `${baseBranch} moved during the push.`)
  return pushed === 'pushed' ? { merged: true, commit } : null
}

/**
 * Merges the branch of a task or a feature into the default branch of the remote, as steps: fetched afresh, merged
 * without a work tree, and pushed. When the branch has moved in between, once more. A job that was killed after its
 * push finds the merge there.
 *
 * @throws {FaultlineError} PUSH_REJECTED: the remote does not take it from us. What a fetch throws.
 */
export async function mergeIntoBase(
  job: Pick<JobContext, 'step' | 'log'>,
  deps: MergeDeps,
  request: MergeRequest,
): Promise<BranchMerge> {
  const date = await mergeDate(job)
  for (let round = 0; round < ROUNDS; round++) {
    const outcome = await job.step('merge', signal => mergeOnce(job, deps, request, { date, signal }))
    if (outcome !== null) return outcome
  }
  const message = `"${request.baseBranch}" moved each time that the change was to be pushed to it, ${ROUNDS} times.`
  return { merged: false, conflicts: [], message }
}

/**
 * Tries the merge that a person's git will do, as steps: into the default branch of the repository as it is now.
 * Nothing is pushed, and no branch is changed.
 *
 * @returns The commit of the trial, which no ref holds, or the conflicts.
 */
export async function tryMerge(
  job: Pick<JobContext, 'step'>,
  deps: MergeDeps,
  request: MergeRequest,
): Promise<BranchMerge> {
  const date = await mergeDate(job)
  return await job.step('merge', async (signal): Promise<BranchMerge> => {
    const { made } = await mergeFresh(deps, request, { date, signal })
    return 'commit' in made ? { merged: true, commit: made.commit } : refused(request, made)
  })
}
