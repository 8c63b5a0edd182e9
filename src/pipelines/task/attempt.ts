import type { TaskAttempt, TaskInput } from '../../contract/task.ts'
import { FaultlineError } from '../../core/errors.ts'
import { attemptBranch, type TaskStatus } from '../../core/task.ts'
import { commitMessage } from '../../edits/write/commit-message.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Repos } from '../../repos/repos.ts'
import { currentFiles, type Changes } from '../steps/base/base-files.ts'
import { baseAt, type ProjectBase, type ProjectBaseDeps } from '../steps/base/project-base.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import type { DeliverDeps } from '../steps/result/deliver.ts'
import { outcomeOf } from '../steps/result/outcome.ts'
import type { Baseline, TaskChecks } from './checks.ts'
import { askCoder, type Coded, type CoderRequest } from './coder.ts'
import { chooseContext, renderContext, type ContextDeps } from './context/gather.ts'
import { freshBase, type FreshBase, type FreshBaseDeps } from '../steps/base/fresh-base.ts'
import { askReviewer, reviewFeedback } from './reviewer.ts'

/** What one attempt needs. */
export interface AttemptDeps extends ContextDeps, FreshBaseDeps {
  model: AskModel
  outline: CoderRequest['outline']
  globTest: ProjectBaseDeps['globTest']
  git: ProjectBaseDeps['git'] & DeliverDeps['git'] & Pick<Repos, 'deleteBranch'> & FreshBaseDeps['git']
  checksFor: (project: Pick<ProjectBase, 'base' | 'at'>) => TaskChecks
}

/** One attempt: what it begins with. */
interface AttemptRequest {
  input: TaskInput
  maxAttempts: number
  /** The number of the task. */
  task: number
  number: number
  /** What the attempt before was sent back with. */
  feedback: string | null
  /** What the attempt before left among the job's files; undefined where it left nothing. */
  previous?: Changes
  /** Tells where the task stands. */
  enter: (state: TaskStatus, message: string) => Promise<void>
  /** The runs without any change, by commit: those of an attempt before hold as long as the base stays. */
  baselines: Map<string, Baseline>
}

/** What came of an attempt: its record, and what a merge and a pull request need of it. */
export interface Attempted {
  record: TaskAttempt
  base: FreshBase
  /** What the coder says of its change. */
  thinking: string
  /** What it changed; undefined where nothing of its answer could be used. */
  changes?: Changes
}

type Failure = NonNullable<TaskAttempt['failure']>

/** Of the task's words, in the log of its agents. */
const MAX_SHOWN_CHARS = 200

/** The first characters, none of them halved. */
const beginning = (words: string): string => Array.from(words).slice(0, MAX_SHOWN_CHARS).join('')

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function writtenBy({ changes, commitMessage: message }: Extract<Coded, { ok: true }>): string {
  const [subject = ''] = message.split('\n', 1)
  return `${plural(changes.changed.length + changes.deleted.length, 'file')}, commit: ${subject}`
}

/** What the answer comes to as a diff, or why it cannot be used. */
async function diffOf(
  job: JobContext,
  { base }: ProjectBase,
  { changes, commitMessage: message }: Extract<Coded, { ok: true }>,
): Promise<{ diff: string } | { message: string }> {
  return await job.step('diff', async () => {
    try {
      const { diff } = await outcomeOf(job, base, changes, { request: message })
      return diff === '' ? { message: 'The answer changes nothing: every file is as it was before.' } : { diff }
    } catch (error) {
      if (!(error instanceof FaultlineError) || error.code !== 'EDITS_REJECTED') throw error
      return { message: error.message }
    }
  })
}

/** Puts what was changed onto the branch of the attempt, which is made anew. */
async function commitAttempt(
  job: JobContext,
  { git }: AttemptDeps,
  { at, base }: ProjectBase,
  { changes, message, branch }: { changes: Changes; message: string; branch: string },
): Promise<string> {
  // the same when the commit is made again after a kill
  const date = await job.step('commit.date', async () => Math.floor(Date.now() / 1000))
  return await job.step('commit', async signal => {
    const { projectName, repository, commit: parent } = at
    const current = currentFiles(job, base, changes)
    const files: Array<[string, string | null]> = []
    for (const path of [...changes.changed, ...changes.deleted]) {
      const [before, after] = [await base.read(path), await current.read(path)]
      if (before !== after) files.push([path, after])
    }
    await git.deleteBranch({ projectName, repository, branch }, signal)
    const request = { repository, projectName, branch, base: parent, files: Object.fromEntries(files), message, date }
    const { commit } = await git.commitFiles(request, signal)
    await job.setPatch(await git.formatPatch({ repository, commit, since: parent }))
    job.log(`Committed to the branch ${branch} of the clone: ${commit}.`)
    return commit
  })
}

/** Has the coder write, with the context gathered anew. */
async function code(
  job: JobContext,
  deps: AttemptDeps,
  { input, number, feedback, previous }: AttemptRequest,
  project: ProjectBase,
): Promise<Coded> {
  const { base, at, refusal } = project
  const { description, model, temperature } = input
  const selection = await job.step('context', signal => chooseContext(deps, { base, at, description, signal }))
  for (const note of selection.notes) job.log(note)
  const context = await renderContext(deps, { base, selection })
  const coded = await askCoder(job, deps.model, {
    base,
    context,
    description,
    feedback,
    refusal,
    model,
    temperature,
    outline: deps.outline,
    previous,
  })
  await job.task.log(`coder:${number}`, {
    agent: 'coder',
    action: 'generate',
    inputSummary: `Task: ${beginning(description)}${feedback === null ? '' : ' + feedback'}`,
    outputSummary: coded.ok ? writtenBy(coded) : coded.message,
    tokensUsed: coded.tokensUsed,
    durationMs: coded.durationMs,
  })
  return coded
}

/** Has the diff reviewed by somebody who knows nothing else. */
async function review(job: JobContext, deps: AttemptDeps, { input, number }: AttemptRequest, diff: string) {
  const { model, temperature } = input
  const reviewed = await askReviewer(job, deps.model, { diff, model, temperature })
  await job.task.log(`reviewer:${number}`, {
    agent: 'reviewer',
    action: 'review',
    inputSummary: `Diff: ${diff.length} chars`,
    outputSummary: reviewed.ok ? `${reviewed.review.decision}: ${reviewed.review.summary}` : reviewed.message,
    tokensUsed: reviewed.tokensUsed,
    durationMs: reviewed.durationMs,
  })
  return reviewed
}

/** Runs lint and tests over the change, and without it where that is not known of this commit. */
async function test(
  job: JobContext,
  deps: AttemptDeps,
  { number, baselines }: AttemptRequest,
  { project, changes }: { project: ProjectBase; changes: Changes },
) {
  const checks = deps.checksFor(project)
  const { commit } = project.at
  const baseline = baselines.get(commit) ?? (await checks.baseline())
  baselines.set(commit, baseline)
  const checked = await checks.after(changes, baseline)
  await job.task.log(`tester:${number}`, {
    agent: 'tester',
    action: 'test',
    inputSummary: null,
    outputSummary: checked.tests.summary,
    tokensUsed: null,
    durationMs: checked.durationMs,
  })
  return checked
}

/**
 * One attempt, from a fresh default branch to checked changes on a branch of its own. What is wrong with the change is
 * the `failure` of its record; what no other attempt could mend is thrown.
 */
export async function attempt(job: JobContext, deps: AttemptDeps, request: AttemptRequest): Promise<Attempted> {
  const { input, maxAttempts, task, number, enter } = request
  const of = `attempt ${number} of ${maxAttempts}`
  const branch = attemptBranch(task, number)
  await job.task.update({ attempt: number, branchName: branch })
  await enter('coding', `${of}: bringing the default branch up to date`)
  const fresh = await freshBase(job, deps, { projectName: input.project_name, repository: input.repository })
  const { projectName, ...at } = fresh.at
  const project = baseAt(deps, { projectName, allowPaths: input.allow_paths }, at)
  const record: TaskAttempt = {
    number,
    branch,
    baseBranch: fresh.branch,
    baseCommit: fresh.at.commit,
    notes: fresh.notes,
    commit: null,
    commitMessage: null,
    diff: '',
    review: null,
    tests: null,
    failure: null,
  }
  const attempted: Attempted = { record, base: fresh, thinking: '' }
  const failed = (stage: Failure['stage'], message: string): Attempted => {
    record.failure = { stage, message }
    return attempted
  }

  await enter('coding', `${of}: the coder writes`)
  const coded = await code(job, deps, request, project)
  if (!coded.ok) return failed('coding', coded.message)
  const { changes, thinking } = coded
  Object.assign(attempted, { changes, thinking })
  const made = await diffOf(job, project, coded)
  if ('message' in made) return failed('coding', made.message)
  record.diff = made.diff
  const message = commitMessage(coded.commitMessage)
  record.commitMessage = message.trimEnd()
  record.commit = await commitAttempt(job, deps, project, { changes, message, branch })

  await enter('reviewing', `${of}: the reviewer reads the diff`)
  const reviewed = await review(job, deps, request, made.diff)
  if (!reviewed.ok) return failed('reviewing', reviewed.message)
  record.review = reviewed.review
  if (reviewed.review.decision === 'reject') return failed('reviewing', reviewFeedback(reviewed.review))

  await enter('testing', `${of}: lint and tests run`)
  const { tests, rejection } = await test(job, deps, request, { project, changes })
  record.tests = tests
  return rejection === null ? attempted : failed('testing', rejection)
}
