import type { FeatureAttempt, FeatureCheck } from '../../contract/feature.ts'
import { shortened } from '../../core/both-ends.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { currentFiles, type Changes } from '../steps/base/base-files.ts'
import type { DiagnoseDeps } from '../steps/program/diagnose.ts'
import type { ApplyMigration } from './checks/apply-migration.ts'
import { knowError, sameError, type KnownError } from './checks/stuck.ts'
import type { SystemCheck } from './checks/system-check.ts'
import type { CoderTaskOutput, RunCoderTask } from './coder/coder-task.ts'
import { codingTasks, type CodingTask } from './plan/coding-tasks.ts'
import type { PlannedFeature } from './report.ts'
import type { Scaffold } from './scaffold/scaffold-feature.ts'
import { scaffoldPlan, type MadeFiles } from './scaffold/scaffold-plan.ts'

/** The skills by which a feature is built. */
export interface BuildSkills extends DiagnoseDeps {
  scaffold: Scaffold
  runCoderTask: RunCoderTask
  applyMigration: ApplyMigration
  systemCheck: SystemCheck
}

/** What a feature is made of so far. */
export interface Built {
  changes: Changes
  /** What was made from templates, or was there already in their places. */
  made: MadeFiles
  /** What was made from templates and nobody wrote yet. */
  skeletons: string[]
  /** Files of the migration that was generated. */
  migrations: string[]
  /** Why there is none although there are entities; null where there is one, or none was asked for. */
  whyNoMigration: string | null
  /** Files of earlier migrations, which the branch may hold from an earlier commit. */
  takenBack: string[]
}

type CodingTasks = readonly CodingTask[]

/** One round of coding and checking. */
interface Round {
  built: Built
  tasks: CodingTasks
  /** Of the round before. */
  lastError: string | null
}

/** What came of a part of a round. */
interface Part {
  built: Built
  error: string | null
}

/** What came of the coding of a round. */
interface Coded extends Part {
  tasks: FeatureAttempt['tasks']
  /** Where it failed: what the coder was to do, and what was to come after it. */
  failed: { task: Extract<CodingTask, { kind: 'code' }> | null; rest: CodingTasks } | null
}

const MAX_RETRIES = 3
const MAX_ERROR_CHARS = 20_000
const CHECKS = ['typecheck', 'lint', 'test'] as const
/** The check that tells a person why a feature with entities has no migration. */
const NOT_MIGRATED = { check: 'migrate', passed: null, command: null, exitCode: null } as const
const NO_MIGRATION = 'The feature has entities, and no migration was generated.'

/** Files that the coder made or changed: what is generated is not his. */
const ownFiles = ({ changes, migrations }: Built): string[] =>
  changes.changed.filter(path => !migrations.includes(path))

/** Makes skeletons of the plan's entities and tools from the templates. */
export async function scaffoldFeature(
  job: JobContext,
  { scaffold }: Pick<BuildSkills, 'scaffold'>,
  { plan, report }: PlannedFeature,
): Promise<Built> {
  report.enter('scaffolding', 'making skeletons from the templates')
  const { changes, made } = await scaffoldPlan(scaffold, plan)
  for (const path of made.kept) job.log(`${path} is there already, and is not made from a template.`)
  await job.step('scaffold.audit', () =>
    job.audit({ action: 'feature.scaffold', target: made.created.join(', '), outcome: 'done' }),
  )
  await report.tell({ scaffolded: made.created })
  return { changes, made, skeletons: made.created, migrations: [], whyNoMigration: null, takenBack: [] }
}

/**
 * Whether a file of a migration is what is run, not what its tool remembers of it. The coder is shown it: some tools do
 * not say which statement failed, nor why.
 */
const isStatements = (path: string): boolean => !path.endsWith('.json')

const asTask = (
  { instruction, files }: { instruction: string; files: readonly string[] },
  { success, filesChanged, errors = [] }: CoderTaskOutput,
): FeatureAttempt['tasks'][number] => ({ instruction, files: [...files], success, filesChanged, errors })

/** Generates the migration of the feature as it is now, in place of one that was generated before. */
async function generateMigration({ applyMigration }: BuildSkills, built: Built): Promise<Part> {
  let { changes, migrations: made } = built
  if (made.length > 0) ({ changes, made } = await applyMigration({ action: 'rollback' }, { changes, made }))
  const generated = await applyMigration({ action: 'generate' }, { changes, made })
  const error = generated.success ? null : `The migration could not be generated:\n${generated.output}`
  const why = generated.command === null ? generated.output : `${NO_MIGRATION}\n${generated.output}`
  const whyNoMigration = generated.made.length === 0 ? why : null
  const takenBack = [...new Set([...built.takenBack, ...built.migrations])]
  return {
    built: { ...built, changes: generated.changes, migrations: generated.made, whyNoMigration, takenBack },
    error,
  }
}

/** Has the coder do the tasks of a round one after the other, until one fails. */
async function code(
  skills: BuildSkills,
  { plan, input, report }: PlannedFeature,
  { tasks, lastError, ...round }: Round,
): Promise<Coded> {
  const done: FeatureAttempt['tasks'] = []
  let { built } = round
  for (const [index, task] of tasks.entries()) {
    if (task.kind === 'migration') {
      report.enter('coding', 'generating the migration')
      const generated = await generateMigration(skills, built)
      built = generated.built
      const failed = { task: null, rest: tasks.slice(index + 1) }
      if (generated.error !== null) return { built, error: generated.error, tasks: done, failed }
      continue
    }
    const { instruction, files, readOnlyFiles, mayStay } = task
    report.enter('coding', `${index + 1} of ${tasks.length}: ${files.join(', ')}`)
    const { changes, skeletons } = built
    const state = { branch: plan.branchName, pendingFiles: [...changes.changed, ...changes.deleted], lastError }
    const request = { instruction, files: [...files], readOnlyFiles: [...readOnlyFiles], maxRetries: input.max_retries }
    const coded = await skills.runCoderTask({ ...request, mayStay }, { changes, state, skeletons })
    const isLeft = (path: string): boolean => ![...coded.filesChanged, ...(coded.success ? files : [])].includes(path)
    built = { ...built, changes: coded.changes, skeletons: skeletons.filter(isLeft) }
    done.push(asTask(task, coded))
    const failed = { task, rest: tasks.slice(index + 1) }
    if (!coded.success) return { built, error: (coded.errors ?? []).join('\n'), tasks: done, failed }
  }
  return { built, error: null, tasks: done, failed: null }
}

/** Applies the migration to a scratch database; a feature without entities has nothing to apply. */
async function tryMigration(
  { applyMigration }: BuildSkills,
  { plan }: PlannedFeature,
  { changes, migrations: made, whyNoMigration: why }: Built,
): Promise<FeatureCheck | null> {
  if (made.length === 0) {
    const output = why ?? NO_MIGRATION
    return plan.entities.length === 0 ? null : { ...NOT_MIGRATED, output }
  }
  const { success, output, command, exitCode } = await applyMigration({ action: 'apply' }, { changes, made })
  return { check: 'migrate', passed: command === null ? null : success, command, exitCode, output }
}

/** What the checks of a round say. */
interface Verified {
  checks: FeatureCheck[]
  /** What the coder is told; null where all passed. */
  error: string | null
  /** What failed, without a word of ours: by it the same failure is known again. */
  printed: string
}

/** Applies the migration and runs type checker, linter and tests. */
async function verify(job: JobContext, skills: BuildSkills, feature: PlannedFeature, built: Built): Promise<Verified> {
  const { report, base } = feature
  report.enter('verifying', 'applying the migration to a scratch database')
  const migrated = await tryMigration(skills, feature, built)
  if (migrated?.passed === false) {
    const { migrations, changes } = built
    const shown = await job.step('migration.shown', async () =>
      Array.from(
        await currentFiles(job, base, changes).readAll(migrations.filter(isStatements)),
        ([path, text]) => `${path}:\n${text}`,
      ),
    )
    const printed = [migrated.output, ...shown].join('\n\n')
    return { checks: [migrated], error: `The migration could not be applied:\n${printed}`, printed }
  }
  report.enter('verifying', CHECKS.join(', '))
  const { allPassed, results, error, failures } = await skills.systemCheck({ checks: [...CHECKS] }, built.changes)
  const checks = migrated === null ? results : [migrated, ...results]
  return { checks, error: allPassed ? null : error, printed: failures }
}

/** The migration is made again wherever code changes, unless a later task makes it. */
const migratedAgain = ({ plan }: PlannedFeature, rest: CodingTasks): CodingTask[] =>
  plan.entities.length === 0 || rest.some(({ kind }) => kind === 'migration') ? [] : [{ kind: 'migration' }]

/** What is done in the round after one that failed: its own files by what went wrong, then what it did not come to. */
function mendingTasks(
  feature: PlannedFeature,
  { built, failed }: Pick<Coded, 'built' | 'failed'>,
  error: string,
): CodingTask[] {
  const { task = null, rest = [] } = failed ?? {}
  const later = rest.flatMap(one => (one.kind === 'code' ? one.files : []))
  const instruction =
    `Previous attempt failed with error:\n${error}\n\n` +
    `Original task: ${task?.original ?? task?.instruction ?? feature.input.request}\n\n` +
    'Please fix the error and try again.'
  const mending: CodingTask = {
    kind: 'code',
    instruction,
    original: task?.original ?? task?.instruction,
    files: [...new Set([...ownFiles(built), ...(task?.files ?? [])])].filter(path => !later.includes(path)).sort(),
    readOnlyFiles: [],
  }
  return [mending, ...migratedAgain(feature, rest), ...rest]
}

/** What is done after a person rejected the delivery with a comment. */
export function reworkTasks(feature: PlannedFeature, built: Built, comment: string): CodingTask[] {
  const instruction =
    `A person looked at the result and wants it otherwise:\n${comment}\n\n` +
    `Original task: ${feature.input.request}\n\n` +
    'Change the code so that it is as the person says, and the tests with it.'
  return [{ kind: 'code', instruction, files: ownFiles(built), readOnlyFiles: [] }, ...migratedAgain(feature, [])]
}

/** The tasks that the plan of a feature asks for. */
export const plannedTasks = ({ plan }: PlannedFeature, { made }: Built): CodingTask[] => codingTasks(plan, made)

function failed(errors: readonly string[], isStuck: boolean): FaultlineError {
  const last = shortened(errors.at(-1) ?? '', MAX_ERROR_CHARS)
  const count = errors.length === 1 ? 'the only attempt' : `${errors.length} attempts`
  const why = isStuck
    ? `The coder is stuck: the same error came twice, in attempt ${errors.length - 1} and ${errors.length}.`
    : `The feature did not pass in ${count}.`
  return new FaultlineError(
    'FEATURE_FAILED',
    `${why} The last error: ${last}`,
    'GET /jobs/{id}/transcript shows what it wrote. Retry with more max_retries, another model, or a request that ' +
      'says more.',
  )
}

/**
 * Codes and checks until a round passes, with what failed appended to what the coder is told next.
 *
 * @throws {FaultlineError} FEATURE_FAILED: no retry is left, or the same error came twice. OUT_OF_SCOPE.
 */
export async function buildFeature(
  job: JobContext,
  skills: BuildSkills,
  feature: PlannedFeature,
  begin: { built: Built; tasks: CodingTasks },
): Promise<Built> {
  const { report, input, base } = feature
  const { max_retries: maxRetries = MAX_RETRIES } = input
  const errors: string[] = []
  let known: KnownError | null = null
  let { built, tasks } = begin
  for (;;) {
    const coded = await code(skills, feature, { built, tasks, lastError: errors.at(-1) ?? null })
    built = coded.built
    await report.tell({ migrations: built.migrations })
    const verified =
      coded.error === null
        ? await verify(job, skills, feature, built)
        : { checks: [], error: coded.error, printed: coded.error }
    const { attempts } = report.result
    const number = attempts.length + 1
    const attempt = { number, tasks: coded.tasks, checks: verified.checks, error: verified.error }
    await report.tell({ attempts: [...attempts, attempt] })
    if (verified.error === null) return built
    errors.push(verified.error)
    const now = await knowError(job, skills, verified.printed, currentFiles(job, base, built.changes))
    const isStuck: boolean = known !== null && sameError(known, now)
    if (isStuck || errors.length > maxRetries) throw failed(errors, isStuck)
    known = now
    job.log(`Attempt ${number} failed; the coder is told why. ${verified.error.split('\n', 1)[0] ?? ''}`)
    tasks = mendingTasks(feature, coded, shortened(verified.error, MAX_ERROR_CHARS))
  }
}
