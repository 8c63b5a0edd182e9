import type { TaskAttempt, TaskInput, TaskResult } from '../../contract/task.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { TaskStatus } from '../../core/task.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { attempt, type Attempted, type AttemptDeps } from './attempt.ts'
import { createTaskChecks, type Baseline, type TaskChecksDeps } from './checks.ts'
import { finish, type Finished, type FinishDeps } from './finish.ts'
import { tidyTaskBranches, type TidyDeps } from './tidy-branches.ts'

/** What carrying out a task needs. */
export interface TaskDeps
  extends Omit<AttemptDeps, 'git' | 'checksFor'>, Omit<FinishDeps, 'git'>, Omit<TaskChecksDeps, 'redact'> {
  git: AttemptDeps['git'] & FinishDeps['git'] & TidyDeps
}

type Failure = NonNullable<TaskAttempt['failure']>

const MAX_ATTEMPTS = 3

/** What is known of a task whose attempts have not passed yet. */
function unfinished(task: number, attempts: readonly Attempted[]): TaskResult {
  const last = attempts.at(-1)?.base
  return {
    taskNumber: task,
    repository: last?.at.repository ?? null,
    branch: null,
    baseBranch: last?.branch ?? null,
    baseCommit: last?.at.commit ?? null,
    commit: null,
    diff: '',
    merged: false,
    mergeCommit: null,
    testsRan: false,
    pullRequestUrl: null,
    compareUrl: null,
    attempts: attempts.map(({ record }) => record),
  }
}

/** What came of a task that is done. */
function finished(
  task: number,
  attempts: readonly Attempted[],
  { record }: Attempted,
  end: Exclude<Finished, { conflict: string }>,
): TaskResult {
  const { branch, commit, diff, tests } = record
  return {
    ...unfinished(task, attempts),
    ...end,
    branch,
    commit,
    diff,
    testsRan: tests !== null && tests.passed !== null,
  }
}

/** Tells where the task stands, to whoever follows the job and in the task's row. */
function createEnter(job: JobContext, maxAttempts: number) {
  return async (state: TaskStatus, message: string, number: number): Promise<void> => {
    job.progress({ step: state, done: number - 1, total: maxAttempts, message })
    await job.task.update({ status: state })
  }
}

const SENT_BACK: Record<Failure['stage'], string> = {
  coding: 'The coder gave nothing that can be used',
  reviewing: 'The reviewer sent it back',
  testing: 'The checks failed',
  merging: 'It could not be merged',
}

const MAX_REASONS = 10

/** Why an attempt was sent back, in lines: without what programs printed, which is long and was shown as it came. */
function reasonsOf({ message }: Failure): string[] {
  const [said = ''] = message.split(/^```/m, 1)
  const lines = said.split('\n').filter(line => line.trim() !== '')
  return lines.length > MAX_REASONS ? [...lines.slice(0, MAX_REASONS), '…'] : lines
}

function usedUp(attempts: readonly Attempted[], failure: Failure): FaultlineError {
  const count = attempts.length === 1 ? 'The only attempt' : `All ${attempts.length} attempts`
  return new FaultlineError(
    'TASK_FAILED',
    `${count} failed. The last one: ${reasonsOf(failure).join('\n')}`,
    'Retry with more max_attempts, another model, or a description that names files and what is to hold afterwards.',
  )
}

/** A task under way. */
interface Running {
  input: TaskInput
  maxAttempts: number
  of: { number: number; jobId: string; projectName: string }
  attempts: Attempted[]
  enter: ReturnType<typeof createEnter>
}

/** What came of an attempt that passed, once it is merged, pushed or left; else why it is sent back. */
async function tryOnce(
  job: JobContext,
  deps: AttemptDeps & FinishDeps,
  { input, maxAttempts, of, attempts, enter }: Running,
  baselines: Map<string, Baseline>,
): Promise<Exclude<Finished, { conflict: string }> | Failure> {
  const number = attempts.length + 1
  const attempted = await attempt(job, deps, {
    input,
    maxAttempts,
    task: of.number,
    number,
    feedback: attempts.at(-1)?.record.failure?.message ?? null,
    previous: attempts.findLast(({ changes }) => changes !== undefined)?.changes,
    baselines,
    enter: (state, message) => enter(state, message, number),
  })
  attempts.push(attempted)
  const { record } = attempted
  if (record.failure !== null) return record.failure
  // a remote may refuse it: what passed is with the job by then
  await job.setResult(unfinished(of.number, attempts))
  if (input.auto_merge === true) await enter('testing', `merging into ${attempted.base.branch}`, number)
  const end = await finish(job, deps, { input, task: of.number, attempted })
  if (!('conflict' in end)) return end
  record.failure = { stage: 'merging', message: end.conflict }
  return record.failure
}

/** Tells of the end, and leaves nothing but the branch of the attempt that passed. */
async function conclude(
  job: JobContext,
  { git }: TaskDeps,
  { maxAttempts, of, attempts }: Running,
  end: Exclude<Finished, { conflict: string }>,
): Promise<TaskResult> {
  const last = attempts.at(-1)
  if (last === undefined) throw new Error('A task ended without an attempt.')
  const { branch } = last.record
  await tidyTaskBranches(git, { ...of, branch }, job.signal)
  const { mergeCommit } = end
  const outcome = mergeCommit === null ? `Branch ready: ${branch}` : `Merged: ${mergeCommit}`
  await job.task.log('complete', {
    agent: 'pipeline',
    action: mergeCommit === null ? 'complete' : 'merge',
    inputSummary: null,
    outputSummary: outcome,
    tokensUsed: null,
    durationMs: null,
  })
  job.progress({ step: 'done', done: maxAttempts, total: maxAttempts, message: outcome })
  return finished(of.number, attempts, last, end)
}

/** Keeps what the attempt came to, for the next one and for whoever asks. @throws {FaultlineError} TASK_FAILED */
async function sendBack(job: JobContext, { git }: TaskDeps, running: Running, failure: Failure): Promise<void> {
  const { maxAttempts, of, attempts } = running
  const { stage, message } = failure
  const [why = '', ...more] = reasonsOf(failure)
  for (const line of [`Attempt ${attempts.length} of ${maxAttempts} failed. ${why}`, ...more]) job.log(line)
  await job.task.update({ reviewerFeedback: message })
  await job.setResult(unfinished(of.number, attempts))
  if (attempts.length < maxAttempts) return
  await tidyTaskBranches(git, { ...of, branch: null }, job.signal)
  job.progress({ step: 'failed', done: maxAttempts, total: maxAttempts, message: SENT_BACK[stage] })
  throw usedUp(attempts, failure)
}

/** Carries out a task: coder, reviewer, lint and tests, until an attempt passes or none is left. */
export async function runTask(job: JobContext, deps: TaskDeps, input: TaskInput): Promise<TaskResult> {
  const { project_name: projectName, max_attempts: maxAttempts = MAX_ATTEMPTS, allow_paths: allowed = [] } = input
  const of = { number: await job.task.number(), jobId: job.id, projectName }
  const running: Running = { input, maxAttempts, of, attempts: [], enter: createEnter(job, maxAttempts) }
  job.progress({ step: 'pending', done: 0, total: maxAttempts, message: 'the first attempt begins' })
  const isAllowed = deps.globTest(allowed)
  const checks = { ...deps, redact: deps.model.redact }
  const checksFor: AttemptDeps['checksFor'] = project => createTaskChecks(job, checks, { ...project, isAllowed })
  const baselines = new Map<string, Baseline>()
  for (;;) {
    const end = await tryOnce(job, { ...deps, checksFor }, running, baselines)
    if ('merged' in end) return conclude(job, deps, running, end)
    await sendBack(job, deps, running, end)
  }
}
