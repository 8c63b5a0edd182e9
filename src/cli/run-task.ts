import type { JobAnswer, JobEventAnswer } from '../contract/job.ts'
import { TASK_STATUSES } from '../contract/task-names.ts'
import type { TaskResultAnswer } from '../contract/task.ts'
import { resultText, usageText } from '../text/generation-text.ts'
import { printableLine } from '../text/terminal-text.ts'
import { inCommands } from './advice.ts'
import type { Backend } from './backend/backend.ts'
import { CliError } from './cli-error.ts'
import { converse } from './converse.ts'
import { EXIT } from './exit-codes.ts'
import { mergeCommands, mergeHere } from './merge-here.ts'
import { jobFailure, type Session } from './session.ts'

const STATES: ReadonlySet<unknown> = new Set(TASK_STATUSES)
/** Newest tasks among which one is looked for that was made a moment ago. */
const RECENT = 50

/** What a message of the pipeline begins with; the state says it, where it is counted. */
const WHICH_ATTEMPT = /^attempt \d+ of \d+: /

/** The state of a task, as an event tells it: `coding (attempt 2/3): …`. */
function taskState({ event, data }: JobEventAnswer): { key: string; line: string } | null {
  const { step, message, done, total } = data
  if (event !== 'step' || typeof message !== 'string' || !STATES.has(step)) return null
  const isCounted = step === 'coding' && typeof done === 'number' && typeof total === 'number'
  const key = isCounted ? `${step} (attempt ${done + 1}/${total})` : String(step)
  return { key, line: printableLine(`${key}: ${inCommands(message.replace(WHICH_ATTEMPT, ''))}`) }
}

function nextCommands(job: JobAnswer, clonesDir: string | null): string[] {
  const result = job.result as TaskResultAnswer
  if (result.branch === null || result.merged) return []
  const merging = clonesDir === null ? `faultline jobs patch ${job.id} | git am` : mergeCommands(clonesDir, result)
  return ['Next:', `  faultline jobs diff ${job.id}`, `  ${merging}`]
}

/** Says what came of a task that is done, and how its branch is looked at and merged; returns the exit code. */
export function reportTask({ output }: Session, job: JobAnswer, clonesDir: string | null = null): number {
  output.result(job, () =>
    [
      resultText(job, output.paint),
      usageText(job, output.paint),
      ...nextCommands(job, clonesDir).map(line => output.paint('dim', line)),
    ].join('\n'),
  )
  return EXIT.done
}

/** The number of the task of a job that was made a moment ago; null where it cannot be found. */
async function numberOf(backend: Backend, { id, project_name: project }: JobAnswer): Promise<number | null> {
  const { data } = await backend.listTasks({ limit: RECENT, project_name: project ?? undefined })
  return data.find(task => task.job_id === id)?.number ?? null
}

/** The same error, which names the commands for the task. */
function failureOfTask(job: JobAnswer, number: number | null): CliError | null {
  const failure = jobFailure(job)
  if (failure === null || number === null) return failure
  const { code, message, exitCode, fix } = failure
  const next = `"faultline show ${number}" says what each agent did, "faultline retry ${number}" tries again.`
  return new CliError(code, message, { exitCode, fix: fix === undefined ? next : `${fix} ${next}` })
}

/** Ctrl-C, with what there is to do next. */
function ofTask(error: unknown, number: number | null): unknown {
  if (number === null || !(error instanceof CliError) || error.code !== 'INTERRUPTED') return error
  return new CliError(error.code, `Interrupted: task #${number} was cancelled.`, {
    fix: `"faultline retry ${number}" begins it again.`,
  })
}

/** A task that is begun, and where it is merged. */
interface TaskRun {
  start: () => Promise<JobAnswer>
  yes: boolean
  /** The checkout that it is merged into when it is done; null for none. */
  checkout: string | null
  title: string
}

/**
 * Begins a task, shows its states, and merges it where that is asked for.
 *
 * @returns The exit code.
 * @throws {CliError} As `converse`, MERGE_CONFLICT, and without `--json` for a task that failed.
 */
export async function runTask(
  session: Session,
  backend: Backend,
  { start, yes, checkout, title }: TaskRun,
): Promise<number> {
  const { output } = session
  const { clonesDir } = backend
  const made = await start()
  const number = await numberOf(backend, made)
  if (number !== null) output.note(`Task #${number}, job ${made.id}`)
  const job = await converse(session, backend, made, { yes, stateOf: taskState }).catch((error: unknown) => {
    throw ofTask(error, number)
  })
  const failure = failureOfTask(job, number)
  if (failure !== null && !output.isJson) throw failure
  if (failure !== null) {
    output.result(job, () => '')
    return failure.exitCode
  }
  const isMergedHere = checkout !== null && clonesDir !== null && job.status === 'succeeded'
  const ended = isMergedHere ? await mergeHere(session, job, { path: checkout, clonesDir, title }) : job
  return reportTask(session, ended, clonesDir)
}
