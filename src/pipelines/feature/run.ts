import type { FeatureInput, FeatureResult } from '../../contract/feature.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { baseAt } from '../steps/base/project-base.ts'
import { freshBase, type FreshBaseDeps } from '../steps/base/fresh-base.ts'
import type { DiagnoseDeps } from '../steps/program/diagnose.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import type { NeedEnvironment } from '../steps/environment.ts'
import { chooseContext, renderContext, type ContextDeps } from '../task/context/gather.ts'
import { abortFeature, type AbortDeps } from './abort.ts'
import { buildFeature, plannedTasks, reworkTasks, scaffoldFeature, type Built, type BuildSkills } from './build.ts'
import { createApplyMigration, type MigrationDeps } from './checks/apply-migration.ts'
import { createSystemCheck, type SystemCheckDeps } from './checks/system-check.ts'
import { createRunCoderTask, type CoderTaskDeps } from './coder/run-coder-task.ts'
import { deliverFeature, type DeliveryDeps } from './delivery/deliver.ts'
import { createManageGit, type ManageGit, type ManageGitDeps } from './manage-git.ts'
import { planFeature } from './planning.ts'
import { createReport, type Feature, type FeatureEnd, type FeatureReport, type PlannedFeature } from './report.ts'
import { scopeRefusal, type FeatureRules, type FeatureRulesOf } from './rules.ts'
import { createScaffold } from './scaffold/scaffold-feature.ts'

/** What building features needs. */
export interface FeatureDeps
  extends
    Omit<FreshBaseDeps, 'git'>,
    Omit<ContextDeps, 'git'>,
    Omit<DeliveryDeps, 'git' | 'sandbox'>,
    Omit<ManageGitDeps, 'git'>,
    Omit<CoderTaskDeps, 'model'>,
    Omit<MigrationDeps, 'needEnvironment'>,
    Omit<SystemCheckDeps, 'redact' | 'needEnvironment'>,
    Omit<AbortDeps, 'git'>,
    DiagnoseDeps {
  model: AskModel
  needEnvironment: NeedEnvironment
  globTest: (globs: string[]) => (path: string) => boolean
  featureRulesOf: FeatureRulesOf
  git: FreshBaseDeps['git'] &
    DeliveryDeps['git'] &
    ManageGitDeps['git'] &
    AbortDeps['git'] &
    Parameters<typeof baseAt>[0]['git']
}

/** How often a person may send a finished feature back to the coder. */
const MAX_REWORKS = 10

/** The commit that the feature begins from, and what the project says of features there. */
async function begin(job: JobContext, deps: FeatureDeps, input: FeatureInput, report: FeatureReport) {
  const { project_name: projectName, repository } = input
  report.enter('planning', 'fetching the default branch')
  const { at, branch: baseBranch, notes } = await freshBase(job, deps, { projectName, repository })
  const { rules, notices } = await job.step('rules', () => deps.featureRulesOf(at))
  for (const notice of notices) job.log(notice)
  await report.tell({
    repository: at.repository,
    baseBranch,
    baseCommit: at.commit,
    notes: [...notes, ...notices],
  })
  const { base, refusal } = baseAt(deps, { projectName }, at)
  const feature: Feature = { input, at, base, baseBranch, report }
  return { feature, rules, refusal: scopeRefusal(rules, refusal) }
}

/** The skills of the agent, over one project. */
function skillsOf(
  job: JobContext,
  deps: FeatureDeps,
  {
    feature,
    rules,
    refusal,
  }: { feature: Feature; rules: FeatureRules; refusal: (path: string) => Promise<string | null> },
): BuildSkills {
  const { input, at, base } = feature
  const { coder = 'own', request: asked, model, temperature } = input
  const needEnvironment = () => deps.needEnvironment(job, at)
  const redacted = { ...deps, redact: deps.model.redact }
  return {
    scaffold: createScaffold(job, { base, rules, refusal }),
    runCoderTask: createRunCoderTask(job, deps, { base, at, rules, refusal, coder, asked, model, temperature }),
    applyMigration: createApplyMigration(job, deps, { base, rules, needEnvironment }),
    systemCheck: createSystemCheck(job, redacted, { base, at }),
    diagnoseRun: deps.diagnoseRun,
  }
}

/** What the planner is shown of the project: as the coder of a task. */
async function overviewOf(job: JobContext, deps: FeatureDeps, { input, base, at }: Feature): Promise<string> {
  const { request: description } = input
  const selection = await job.step('context', signal => chooseContext(deps, { base, at, description, signal }))
  for (const note of selection.notes) job.log(note)
  return (await renderContext(deps, { base, selection })).text
}

/** Codes, checks and delivers, again and again while a person sends it back with a comment. */
async function buildAndDeliver(
  job: JobContext,
  deps: FeatureDeps,
  feature: PlannedFeature,
  { skills, rules, git }: { skills: BuildSkills; rules: FeatureRules; git: ManageGit },
): Promise<FeatureEnd> {
  let built: Built = await scaffoldFeature(job, skills, feature)
  let tasks = plannedTasks(feature, built)
  let comment: string | null = null
  for (let reworksLeft = MAX_REWORKS; ; reworksLeft--) {
    built = await buildFeature(job, skills, feature, { built, tasks })
    const delivered = await deliverFeature(job, deps, { feature, rules, git, built, reworksLeft, comment })
    if ('end' in delivered) return delivered.end
    comment = delivered.comment
    tasks = reworkTasks(feature, built, comment)
  }
}

/** Deletes the branch here and on the remote and closes its request; what is left is told. */
async function abort(job: JobContext, deps: FeatureDeps, report: FeatureReport, why: string): Promise<void> {
  report.enter('aborted', why)
  const notes = await job.step('abort', async signal => {
    const aborted = await abortFeature(deps, job.id, signal)
    const { branch } = report.result
    if (branch !== null && aborted.isDone) await job.audit({ action: 'feature.abort', target: branch, outcome: 'done' })
    return aborted.notes
  })
  for (const note of notes) job.log(note)
  await report.tell({ outcome: 'aborted', notes: [...report.result.notes, ...notes] })
}

/** Where a feature fails by its own fault: nothing of it is left, and the result says how far it came. */
const ENDS_FEATURE: ReadonlySet<string> = new Set(['PLAN_INVALID', 'OUT_OF_SCOPE', 'FEATURE_FAILED', 'EDITS_REJECTED'])

/** Plans, codes, checks and delivers a feature. */
export async function runFeature(job: JobContext, deps: FeatureDeps, input: FeatureInput): Promise<FeatureResult> {
  const report = createReport(job)
  const { feature, rules, refusal } = await begin(job, deps, input, report)
  const { at, base, baseBranch } = feature
  const git = createManageGit(job, deps, { at, base, baseBranch, rules, feature: job.feature })
  try {
    const overview = await overviewOf(job, deps, feature)
    const plan = await planFeature(job, deps.model, feature, { overview, rules, refusal, git })
    const skills = skillsOf(job, deps, { feature, rules, refusal })
    const end =
      plan === null ? 'aborted' : await buildAndDeliver(job, deps, { ...feature, plan }, { skills, rules, git })
    if (end === 'aborted') {
      await abort(job, deps, report, 'it was rejected')
      return report.result
    }
    await job.step('end', () => job.feature.update({ state: end }))
    report.enter('deployed', end)
    await report.tell({ outcome: end })
    return report.result
  } catch (error) {
    if (!(error instanceof FaultlineError) || !ENDS_FEATURE.has(error.code)) throw error
    await abort(job, deps, report, error.message)
    throw error
  }
}
