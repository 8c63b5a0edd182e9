import { PlanSchema, type FeaturePlan } from '../../contract/feature.ts'
import { toWire } from '../../contract/wire.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import type { ManageGit } from './manage-git.ts'
import { makePlan, type PlanRequest } from './plan/make-plan.ts'
import type { Feature } from './report.ts'

/** How often a person may have a feature planned again. */
const MAX_REPLANS = 10

/** What making a plan takes beside the feature. */
interface Planning extends Pick<PlanRequest, 'overview' | 'rules' | 'refusal'> {
  git: ManageGit
}

/** One plan whose branch is ours. */
async function planOnce(
  job: JobContext,
  model: AskModel,
  { input, report }: Feature,
  { git, earlier, ...planning }: Planning & Pick<PlanRequest, 'earlier'>,
): Promise<FeaturePlan> {
  report.enter('planning', earlier === undefined ? 'asking for a plan' : 'asking for another plan, with the comment')
  const { request, model: name, temperature, max_retries: maxRetries } = input
  const made = await makePlan(job, model, { ...planning, request, earlier, maxRetries, model: name, temperature })
  const { branch, message } = await git({ action: 'create_branch', branchName: made.branchName })
  if (branch === undefined) {
    throw new FaultlineError('BAD_REF', message, 'Ask in other words, or delete branches that are no longer needed.')
  }
  const plan = { ...made, branchName: branch }
  await report.tell({ plan, branch })
  return plan
}

/**
 * A plan for the feature, on a branch whose name nobody else has; with `review: plan` one that a person approved.
 *
 * @returns Null where a person wants none of it.
 * @throws {FaultlineError} PLAN_INVALID, OUT_OF_SCOPE
 */
export async function planFeature(
  job: JobContext,
  model: AskModel,
  feature: Feature,
  planning: Planning,
): Promise<FeaturePlan | null> {
  let earlier: PlanRequest['earlier']
  for (let replansLeft = MAX_REPLANS; ; replansLeft--) {
    const plan = await planOnce(job, model, feature, { ...planning, earlier })
    if (feature.input.review !== 'plan') return plan
    feature.report.enter('planning', 'waiting for the plan to be approved')
    const reply = await job.ask('review_plan', {
      kind: 'review_plan',
      plan: toWire(PlanSchema, plan),
      replansLeft,
    })
    if (reply.decision === 'approve') return plan
    if (reply.comment === undefined) return null
    if (replansLeft === 0) {
      job.log(`The plan was rejected with a comment, and it is not made again: ${MAX_REPLANS} times are the most.`)
      return null
    }
    earlier = { plan, comment: reply.comment }
  }
}
