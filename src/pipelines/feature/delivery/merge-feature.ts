import type { FeaturePlan } from '../../../contract/feature.ts'
import { FaultlineError } from '../../../core/errors.ts'
import { commitMessage } from '../../../edits/write/commit-message.ts'
import type { FindForge } from '../../../forges/forge-site.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { ProjectBase } from '../../steps/base/project-base.ts'
import { mergeDate, mergeOnce, type MergeDeps } from '../../steps/result/merge-branch.ts'

/** What merging features needs. */
export interface MergeFeatureDeps extends MergeDeps {
  findForge: FindForge
}

/** A pushed feature that was approved. */
interface MergeFeatureRequest {
  at: ProjectBase['at']
  baseBranch: string
  plan: FeaturePlan
  commit: string
  /** Of the request that is merged on its forge; null: the branch is merged by us. */
  requestNumber: number | null
}

/** What came of it; the commit is null where the forge does not tell. */
type MergedFeature = { commit: string | null } | { problem: string }

/** How often the default branch may move while it is merged into. */
const ROUNDS = 3

/** Merges the branch without a work tree, and pushes the merge. */
async function mergeOurselves(
  job: JobContext,
  deps: MergeFeatureDeps,
  { at, baseBranch, plan }: MergeFeatureRequest,
  { message, date, signal }: { message: string; date: number; signal: AbortSignal },
): Promise<MergedFeature> {
  const request = { at, baseBranch, branch: plan.branchName, message }
  for (let round = 0; round < ROUNDS; round++) {
    const merged = await mergeOnce(job, deps, request, { date, signal })
    if (merged?.merged === true) return { commit: merged.commit }
    if (merged !== null) return { problem: merged.message }
  }
  return { problem: `"${baseBranch}" moved each time that the merge was to be pushed to it, ${ROUNDS} times.` }
}

/**
 * Merges what was approved into the default branch of the remote, as one step: the pull request on its forge, where
 * there is one. What is refused is told, so that a person can decide again.
 */
export async function mergeFeature(
  job: JobContext,
  deps: MergeFeatureDeps,
  request: MergeFeatureRequest,
): Promise<MergedFeature> {
  const { at, plan, commit, requestNumber: number, baseBranch } = request
  const date = await mergeDate(job)
  const message = `${commitMessage(`Merge ${plan.branchName}: ${plan.understood}`)}`
  return await job.step('merge', async (signal): Promise<MergedFeature> => {
    try {
      const site = number === null ? null : await deps.findForge(at)
      const requests = site?.requests ?? null
      const merged =
        number === null || requests === null
          ? await mergeOurselves(job, deps, request, { message, date, signal })
          : await requests.merge({ number, commit, message }, signal)
      const outcome = 'problem' in merged ? 'refused' : 'done'
      await job.audit({ action: 'feature.merge', target: `${plan.branchName} into ${baseBranch}`, outcome })
      return 'problem' in merged ? merged : { commit: merged.commit }
    } catch (error) {
      if (signal.aborted || !(error instanceof FaultlineError) || error.code === 'SHUTTING_DOWN') throw error
      return { problem: `${error.message} ${error.fix ?? ''}`.trim() }
    }
  })
}
