import { isAbsolute } from 'node:path'
import { Option, type Command } from 'commander'
import { TASK_STATUSES } from '../../contract/task-names.ts'
import type { TaskAnswer } from '../../contract/task.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/job.ts'
import { pathOf } from '../../core/path-of.ts'
import { taskTitle, type TaskStatus } from '../../core/task.ts'
import { taskText, tasksText } from '../../text/task-text.ts'
import type { Backend } from '../backend/backend.ts'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { findRepository } from '../files/repository-here.ts'
import { indexHere, namedRepository } from '../index-here.ts'
import { promptFrom } from '../input.ts'
import { mergesHere } from '../merge-here.ts'
import { onlyProject } from '../only-project.ts'
import { addPipelineOptions, bodyOf, type PipelineOptions } from '../pipeline-options.ts'
import { printEstimate } from '../run-pipeline.ts'
import { runTask } from '../run-task.ts'
import type { Run } from '../run.ts'
import { integerOption, READ, type Session } from '../session.ts'

interface AttemptOptions {
  repo?: string
  maxAttempts?: number
  autoMerge?: boolean
}

interface RunOptions extends PipelineOptions, AttemptOptions {
  project?: string
  repository?: string
  push?: boolean
  draft?: boolean
  allowPaths?: string[]
}

interface RetryOptions extends AttemptOptions {
  model?: string
  yes?: boolean
}

interface ListOptions {
  status?: TaskStatus
  project?: string
  limit: number
  cursor?: string
}

/** The fields of the body that say who merges; a checkout of this machine is merged by this process. */
const mergeFields = (repository: string | null, isHere: boolean, asked: boolean | undefined): JsonObject => {
  if (isHere) return { auto_merge: true, merge_by: 'client' }
  if (repository !== null) return { auto_merge: false }
  return asked === undefined ? {} : { auto_merge: asked }
}

const committed = { isCommitted: true }

async function run(session: Session, given: string | undefined, options: RunOptions): Promise<number> {
  const description = await promptFrom(session, {
    given,
    file: undefined,
    question: 'What is to be done?',
    example: 'faultline run "Refuse an empty e-mail address" --repo .',
  })
  const repository = namedRepository(session, options)
  if (repository !== null && options.repository !== undefined) {
    throw usageError('--repository names one of a project, and --repo is a repository.', 'Leave one of them out.')
  }
  const isHere = await mergesHere(session, repository, options.autoMerge)
  return session.withBackend(
    async backend => {
      const indexed = repository === null ? null : await indexHere(session, backend, repository, committed)
      const body = bodyOf(options, {
        description,
        project_name: indexed ?? options.project ?? (await onlyProject(backend)),
        repository: options.repository,
        max_attempts: options.maxAttempts,
        ...mergeFields(repository, isHere, options.autoMerge),
        push: options.push,
        draft: options.draft === false ? false : undefined, // commander says true where nothing was said
        allow_paths: options.allowPaths,
      })
      if (options.dryRun === true) {
        printEstimate(session, await backend.dryRun('task', body))
        return EXIT.done
      }
      return runTask(session, backend, {
        start: () => backend.startPipeline('task', body),
        yes: options.yes ?? false,
        checkout: isHere ? repository : null,
        title: taskTitle(description),
      })
    },
    { localRepos: repository === null ? [] : [repository] },
  )
}

/** The number of a task as it is typed; an id is one of a job. */
function taskNumber(text: string, command: 'show' | 'retry'): number {
  if (/^#?[1-9]\d{0,14}$/.test(text)) return Number(text.replace('#', ''))
  throw usageError(
    `${JSON.stringify(text)} is not the number of a task, such as 12.`,
    `"faultline tasks" lists the tasks; for the id of a job: "faultline jobs ${command} <id>".`,
  )
}

function list(session: Session, { project, ...query }: ListOptions): Promise<number> {
  return session.withBackend(async backend => {
    const page = await backend.listTasks({ ...query, project_name: project })
    session.output.result(page, () => tasksText(page.data, session.output.paint))
    if (page.next_cursor !== null) session.output.note(`There are more: --cursor ${page.next_cursor}`)
    return EXIT.done
  }, READ)
}

function show(session: Session, number: number): Promise<number> {
  return session.withBackend(async backend => {
    const task = await backend.getTask(number)
    session.output.result(task, () => taskText(task, session.output.paint))
    session.output.note(`"faultline jobs show ${task.job_id}" has its attempts with their diffs.`)
    return EXIT.done
  }, READ)
}

function notFailed({ number, status, job_id: id }: TaskAnswer): CliError {
  const fix =
    status === 'done'
      ? `"faultline show ${number}" says what came of it; "faultline run" makes another task.`
      : `"faultline jobs follow ${id}" waits for its end, "faultline jobs cancel ${id}" ends it.`
  return new CliError('TASK_NOT_FAILED', `Task #${number} is ${status}: only failed tasks are tried again.`, {
    fix,
  })
}

/** The repository on this machine that a task was made for; null where it is elsewhere. */
function repositoryOf({ isRemote }: Session, { repo_path: path }: TaskAnswer): string | null {
  const folder = path === null ? '' : pathOf(path)
  return !isRemote && isAbsolute(folder) ? findRepository(folder) : null
}

/** Begins a failed task again; its job may be forgotten by now, and then what is known of the task has to do. */
async function begin(backend: Backend, task: TaskAnswer, changes: JsonObject) {
  try {
    return await backend.retryJob(task.job_id, changes)
  } catch (error) {
    if (!(error instanceof FaultlineError) || error.code !== 'JOB_NOT_FOUND') throw error
    const { description, project_name: project, repository, max_attempts: attempts } = task
    const known = repository === null ? {} : { repository }
    return backend.startPipeline('task', {
      description,
      project_name: project,
      ...known,
      max_attempts: attempts,
      ...changes,
    })
  }
}

async function retry(session: Session, number: number, options: RetryOptions): Promise<number> {
  const named = namedRepository(session, options)
  const task = await session.withBackend(backend => backend.getTask(number), READ)
  if (task.status !== 'failed') throw notFailed(task)
  const repository = named ?? repositoryOf(session, task)
  const isHere = await mergesHere(session, repository, options.autoMerge)
  const changes = bodyOf(options, {
    max_attempts: options.maxAttempts,
    ...mergeFields(repository, isHere, options.autoMerge),
  })
  return session.withBackend(
    async backend => {
      const indexed = named === null ? null : await indexHere(session, backend, named, committed)
      const body = {
        description: task.description,
        project_name: indexed ?? task.project_name,
        max_attempts: task.max_attempts,
        ...changes,
      }
      return runTask(session, backend, {
        start: () => (indexed === null ? begin(backend, task, changes) : backend.startPipeline('task', body)),
        yes: options.yes ?? false,
        checkout: isHere ? repository : null,
        title: task.title,
      })
    },
    { localRepos: repository === null ? [] : [repository] },
  )
}

const addAttemptOptions = (command: Command): Command =>
  command
    .option(
      '--max-attempts <n>',
      'attempts at most, 1 to 10; default: MAX_ATTEMPTS, 3',
      integerOption('--max-attempts', 1, 10),
    )
    .option(
      '--auto-merge',
      'merge what passes: with --repo in the checkout, else on the remote (needs --push); default: AUTO_MERGE',
    )
    .option('--no-auto-merge', 'keep the branch, whatever AUTO_MERGE says')

function addRun(program: Command, runCommand: Run): void {
  const command = program
    .command('run [description]')
    .description('from a task in words to a reviewed and tested branch')
    .option('--repo <path>', 'repository on this machine, at its last commit')
    .option('--project <name>', 'indexed project; may be left out when there is only one')
    .option('--repository <name>', 'of a project that holds several')
  addAttemptOptions(command)
    .option(
      '--push',
      'push the branch to where the project was cloned from (with --repo: into that repository, not to its origin), ' +
        'and open a pull request where the server has a token',
    )
    .option('--no-draft', 'open the pull request as one that may be merged')
    .option(
      '--allow-paths <globs...>',
      'protected files that may be changed: workflows, lock files, CI configuration, .npmrc',
    )
  addPipelineOptions(command)
    .addHelpText(
      'after',
      `
A coder writes, a reviewer sees the diff alone, lint and tests run in the sandbox; what is sent back goes to the coder
of the next attempt. Your checkout is not touched, but by --auto-merge: it has to be clean and at its default branch
before anything begins, and after a conflict it is as before. Exit code 0 when the task is done, 1 when it failed.

Examples:
  $ faultline run "Add a logout button to the header" --repo ~/src/shop
  $ faultline run "Fix the validation of e-mail addresses" --repo . --auto-merge --model claude-sonnet-4-5
  $ faultline run "Add a dark theme" --project shop --max-attempts 5 --push`,
    )
    .action((description: string | undefined, options: RunOptions, of: Command) =>
      runCommand(of, session => run(session, description, options)),
    )
}

/** Adds `faultline run`, `tasks`, `show` and `retry`. */
export function addTasks(program: Command, runCommand: Run): void {
  addRun(program, runCommand)
  program
    .command('tasks')
    .description('list the tasks of "run", newest first')
    .addOption(new Option('--status <status>', 'only tasks with this status').choices(TASK_STATUSES))
    .option('--project <name>', 'only tasks of this project')
    .option('--limit <n>', 'how many to list, 1 to 200', integerOption('--limit', 1, 200), 50)
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .addHelpText('after', '\nExamples:\n  $ faultline tasks\n  $ faultline tasks --status failed --json')
    .action((options: ListOptions, of: Command) => runCommand(of, session => list(session, options)))

  program
    .command('show <number>')
    .description('a task of "run" and what its agents did; "jobs show" shows a job by its id')
    .addHelpText('after', '\nExample:\n  $ faultline show 12')
    .action((number: string, _options: object, of: Command) =>
      runCommand(of, async session => show(session, taskNumber(number, 'show'))),
    )

  const retrying = program
    .command('retry <number>')
    .description('begin a failed task again, as a new one with the same description')
    .option('--repo <path>', 'repository on this machine; default: that of the task')
    .option('--model <name>', 'ask this model instead of the configured one')
  addAttemptOptions(retrying)
    .option('--yes', 'approve everything; questions about the prompt are left to assumptions')
    .addHelpText(
      'after',
      `
What is not given stays as it was; whether it is merged is said anew.

Examples:
  $ faultline retry 2
  $ faultline retry 2 --max-attempts 5 --model claude-sonnet-4-5`,
    )
    .action((number: string, options: RetryOptions, of: Command) =>
      runCommand(of, async session => retry(session, taskNumber(number, 'retry'), options)),
    )
}
