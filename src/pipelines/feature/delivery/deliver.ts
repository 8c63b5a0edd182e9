import { FeatureResultSchema, type FeatureResultAnswer } from '../../../contract/feature.ts'
import { toWire } from '../../../contract/wire.ts'
import { FaultlineError } from '../../../core/errors.ts'
import type { Decision } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { outcomeOf } from '../../steps/result/outcome.ts'
import { requestPublished, type PublishDeps } from '../../steps/result/publish.ts'
import type { Built } from '../build.ts'
import { featureConflicts, type ConflictDeps } from '../conflicts.ts'
import type { ManageGit } from '../manage-git.ts'
import type { FeatureEnd, PlannedFeature } from '../report.ts'
import type { FeatureRules } from '../rules.ts'
import { deployFeature, whatDeploys, type DeployDeps } from './deploy.ts'
import { mergeFeature, type MergeFeatureDeps } from './merge-feature.ts'

/** What delivering features needs. */
export interface DeliveryDeps extends PublishDeps, MergeFeatureDeps, ConflictDeps, DeployDeps {
  git: PublishDeps['git'] & MergeFeatureDeps['git'] & ConflictDeps['git']
}

/** A feature that passed its checks. */
interface Delivery {
  feature: PlannedFeature
  rules: FeatureRules
  git: ManageGit
  built: Built
  /** How often a rejection with a comment goes back to the coder. */
  reworksLeft: number
  /** With which it was coded again; null the first time. */
  comment: string | null
}

/** Its commit, and where that can be seen. */
interface Committed extends Delivery {
  commit: string
  /** Whether it is where it was to be pushed. */
  isPushed: boolean
  /** Of its pull request; null where there is none. */
  requestNumber: number | null
}

/** What a person decided, and what came of it. */
type Delivered = { end: FeatureEnd } | { comment: string }

const MAX_MESSAGE_CHARS = 200

/** A part of the result, in the names of JSON. */
const onWire = ({ report }: PlannedFeature): FeatureResultAnswer => toWire(FeatureResultSchema, report.result)

/** Commits what is in the allowed paths, and what the migration command made or had made before. */
async function commitFeature(job: JobContext, delivery: Delivery): Promise<string> {
  const { feature, git, built, rules, comment } = delivery
  const { report, base, plan, at } = feature
  const { diff } = await job.step('diff', () => outcomeOf(job, base, built.changes, { request: plan.understood }))
  const { commit, message } = await git(
    {
      action: 'commit',
      branchName: plan.branchName,
      commitMessage: comment === null ? plan.understood : `Change what the review asked for: ${comment}`,
      files: [...rules.allowedPaths, ...built.migrations, ...built.takenBack],
    },
    { changes: built.changes, parent: report.result.commit ?? at.commit },
  )
  if (commit === undefined) throw new FaultlineError('EDITS_REJECTED', message)
  await report.tell({ commit, diff })
  return commit
}

/** Pushes the branch and opens its pull request; what the remote or the forge refuses is told. */
async function pushFeature(job: JobContext, deps: DeliveryDeps, delivery: Committed): Promise<string | null> {
  const { feature, git, commit } = delivery
  const { report, plan, at, input, baseBranch } = feature
  report.enter('delivering', 'pushing the branch')
  const pushed = await git({ action: 'push', branchName: plan.branchName })
  if (!pushed.success) return pushed.message
  await report.tell({ pushed: true })
  const { published, number, refusal } = await requestPublished(job, deps, {
    fault: null,
    runs: null,
    guards: [],
    feature: onWire(feature),
    at,
    base: baseBranch,
    made: { branch: plan.branchName, commit },
    prompt: input.request,
    isDraft: input.draft ?? false,
    explanation: '',
    diff: report.result.diff,
    leftOut: 0,
  })
  delivery.requestNumber = number
  if (number !== null) await job.feature.update({ requestNumber: number })
  await report.tell(published)
  delivery.isPushed = refusal === null
  return refusal
}

/** Asks whether the feature is what was wanted. */
async function askApproval(
  job: JobContext,
  { feature, reworksLeft, isPushed }: Committed,
  { problem, deploysBy }: { problem: string | null; deploysBy: Awaited<ReturnType<typeof whatDeploys>> },
): Promise<Decision> {
  const { report, plan, input } = feature
  const { pullRequestUrl, compareUrl, diff, merged } = report.result
  const [line = ''] = (problem ?? `waiting for a decision about ${plan.branchName}`).split('\n', 1)
  report.enter('awaiting_approval', line.slice(0, MAX_MESSAGE_CHARS))
  return await job.ask('approve_delivery', {
    kind: 'approve_delivery',
    branch: plan.branchName,
    diff,
    pullRequestUrl,
    compareUrl,
    checks: report.result.attempts.at(-1)?.checks ?? [],
    conflicts: report.result.conflicts,
    problem,
    pushes: !isPushed,
    merge: input.merge === true && !merged,
    merged,
    deploysBy,
    reworksLeft: merged ? 0 : reworksLeft, // what is merged is not coded again
  })
}

/** Merges and deploys what was approved, as far as it has not been: what does not work is told. */
async function carryOut(job: JobContext, deps: DeliveryDeps, delivery: Committed): Promise<string | null> {
  const { feature, rules, commit, requestNumber } = delivery
  const { report, plan, at, input, baseBranch } = feature
  if (input.merge === true && !report.result.merged) {
    report.enter('awaiting_approval', `merging into ${baseBranch}`)
    const merged = await mergeFeature(job, deps, { at, baseBranch, plan, commit, requestNumber })
    if ('problem' in merged) return merged.problem
    await report.tell({ merged: true, mergeCommit: merged.commit })
  }
  report.enter('awaiting_approval', 'deploying')
  const { mergeCommit, pullRequestUrl } = report.result
  const deployment = await deployFeature(job, deps, {
    at,
    rules,
    branch: plan.branchName,
    commit,
    mergeCommit,
    pullRequestUrl,
    plan,
  })
  await report.tell({ deployment })
  return deployment === null || deployment.ok ? null : `The deployment failed: ${deployment.output}`
}

/**
 * Commits the feature, pushes it where that is asked for, and waits for a person: an approval merges and deploys, a
 * rejection aborts, one with a comment goes back to the coder. What a remote, a forge or a deployment refuses is told
 * to the person, and an approval tries it again: what was built is not lost to a server that is down.
 */
export async function deliverFeature(job: JobContext, deps: DeliveryDeps, delivery: Delivery): Promise<Delivered> {
  const { feature, rules, reworksLeft } = delivery
  const { report, at, input, baseBranch } = feature
  report.enter('delivering', 'looking for conflicts, committing')
  const commit = await commitFeature(job, delivery)
  const committed: Committed = { ...delivery, commit, isPushed: input.push !== true, requestNumber: null }
  const { conflicts, notes } = await featureConflicts(job, deps, { at, baseBranch, commit })
  await report.tell({ conflicts, notes: [...report.result.notes, ...notes] })
  const deploysBy = await job.step('deploy.how', () => whatDeploys(deps, at.projectName, rules))
  let problem: string | null = null
  for (;;) {
    if (!committed.isPushed) problem = await pushFeature(job, deps, committed)
    const reply = await askApproval(job, committed, { problem, deploysBy })
    if (reply.decision === 'reject') {
      if (report.result.merged) return { end: 'delivered' } // what is merged is not taken back
      if (reply.comment === undefined) return { end: 'aborted' }
      if (reworksLeft > 0) return { comment: reply.comment }
      job.log('It was rejected with a comment, and is not coded again: that has been done as often as it may be.')
      return { end: 'aborted' }
    }
    if (!committed.isPushed) continue
    problem = await carryOut(job, deps, committed)
    if (problem === null) return { end: report.result.deployment === null ? 'delivered' : 'deployed' }
  }
}
