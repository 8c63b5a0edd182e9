import type { FeatureBranch } from '../../core/feature.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { FindForge } from '../../forges/forge-site.ts'
import type { FeatureStore } from '../../jobs/store/feature-store.ts'
import type { Repos } from '../../repos/repos.ts'
import { baseHold } from '../steps/base/fresh-base.ts'

/** What aborting features needs. */
export interface AbortDeps {
  features: Pick<FeatureStore, 'find' | 'end'>
  git: Pick<Repos, 'deleteBranch' | 'deleteRemoteBranch'>
  findForge: FindForge
}

/** What is left of a feature that was aborted. */
interface Aborted {
  /** Whether nothing is left that could be deleted later. */
  isDone: boolean
  /** What could not be deleted, and what was left to somebody else, in sentences. */
  notes: string[]
}

/** Does a part of the work; what does not work is noted. */
async function tried(work: () => Promise<string | null>, notes: string[], signal: AbortSignal): Promise<boolean> {
  try {
    const note = await work()
    if (note !== null) notes.push(note)
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FaultlineError) || error.code === 'SHUTTING_DOWN') throw error
    if (error.code === 'NOT_FOUND') return true // the clone is gone, and all that was in it
    notes.push(error.message)
    return false
  }
}

async function closeRequest(
  { findForge }: AbortDeps,
  { projectName, repository, requestNumber }: FeatureBranch,
  signal: AbortSignal,
): Promise<string | null> {
  if (requestNumber === null) return null
  const site = await findForge({ projectName, repository })
  if (site === null || site.requests === null) {
    return `The pull request ${requestNumber} is still open: there is no token for its forge any more.`
  }
  const before = await site.requests.close(requestNumber, signal)
  return before === 'merged' ? `The pull request ${requestNumber} is merged on its forge, and stays so.` : null
}

/** Without its clone nothing can be done on the remote, which is told. */
const ofMissingClone =
  ({ branch }: FeatureBranch) =>
  (error: unknown): string => {
    if (!(error instanceof FaultlineError) || error.code !== 'NOT_FOUND') throw error
    return `The branch "${branch}" may still be on the remote: the clone that it was pushed from is gone.`
  }

async function deleteThere(
  { git }: AbortDeps,
  { projectName, repository, branch, commit, baseCommit: base, isPushed }: FeatureBranch,
  signal: AbortSignal,
): Promise<string | null> {
  if (!isPushed || commit === null) return null
  const outcome = await git.deleteRemoteBranch({ projectName, repository, branch, commit, base }, signal)
  return outcome === 'kept' ? `The branch "${branch}" of the remote holds commits of others, and is kept.` : null
}

/**
 * Takes back all that was made for the branch of a feature: its pull request is closed, the branch is deleted on the
 * remote and here, unless somebody else committed to it there. Idempotent. Where a remote does not answer, the branch
 * stays open, to be aborted again.
 */
export async function abortBranch(deps: AbortDeps, branch: FeatureBranch, signal: AbortSignal): Promise<Aborted> {
  const { projectName, repository, jobId } = branch
  const notes: string[] = []
  const hold = baseHold(jobId)
  const done = [
    await tried(() => closeRequest(deps, branch, signal), notes, signal),
    await tried(() => deleteThere(deps, branch, signal).catch(ofMissingClone(branch)), notes, signal),
    await tried(
      async () => {
        for (const name of [branch.branch, hold]) {
          await deps.git.deleteBranch({ projectName, repository, branch: name }, signal)
        }
        return null
      },
      notes,
      signal,
    ),
  ]
  const isDone = done.every(Boolean)
  if (isDone) await deps.features.end(jobId, 'aborted')
  return { isDone, notes }
}

/** The same for the branch of a job, where it has one that is open. */
export async function abortFeature(deps: AbortDeps, jobId: string, signal: AbortSignal): Promise<Aborted> {
  const branch = await deps.features.find(jobId)
  return branch === null || branch.state !== 'open' ? { isDone: true, notes: [] } : abortBranch(deps, branch, signal)
}
