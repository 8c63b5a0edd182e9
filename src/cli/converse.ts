import type { JobAnswer, JobEventAnswer, ReplyBody } from '../contract/job.ts'
import type { Budget } from '../core/job.ts'
import { eventWithCommands, withCommands } from './advice.ts'
import { askLine, canAsk, confirm } from './ask.ts'
import type { Backend } from './backend/backend.ts'
import { CliError } from './cli-error.ts'
import { logText } from './event-printer.ts'
import { progressText } from '../text/job-text.ts'
import {
  asked,
  commentsLeft,
  replyOptions,
  requestDetail,
  requestHeading,
  type AskedRequest,
} from '../text/request-text.ts'
import { orCancel, type Session } from './session.ts'

/** How a job's requests are answered. */
export interface ConverseOptions {
  /**
   * Approve what is asked, and leave questions to the job. Only a person raises a budget: otherwise the job ends with
   * what it has.
   */
  yes: boolean
  /** What stands on a line of its own when `key` changes, such as the state of a task; null for other events. */
  stateOf?: (event: JobEventAnswer) => { key: string; line: string } | null
}

/** What of a job has been shown. */
interface Shown {
  events: number
  /** Its key. */
  state: string | null
}

async function follow(
  session: Session,
  backend: Backend,
  job: JobAnswer,
  shown: Shown,
  stateOf: ConverseOptions['stateOf'],
): Promise<JobAnswer> {
  const { output, signal } = session
  const progress = output.progress({ withJson: true })
  async function onProgress(latest: JobAnswer): Promise<void> {
    const { data } = await backend.jobEvents(job.id, shown.events)
    for (const event of data) {
      shown.events = event.id
      const state = stateOf?.(event) ?? null
      if (state !== null && state.key !== shown.state) progress.print(`${output.paintNote('bold', state.line)}\n`)
      shown.state = state?.key ?? shown.state
      progress.print(logText(eventWithCommands(event, job.id), output))
    }
    const isSaid = stateOf !== undefined && shown.state !== null && !progress.isChanging
    if (!isSaid) progress.show(progressText(withCommands(latest)))
  }
  try {
    return await orCancel(session, backend, job, backend.waitForJob(job.id, { signal, onProgress }))
  } finally {
    progress.end()
  }
}

const QUESTIONS = new Map([
  ['confirm_run', 'Run it in the sandbox?'],
  ['review_changes', 'Apply these changes?'],
  ['review_plan', 'Build it by this plan?'],
  ['approve_delivery', 'Approve it?'],
])

function replyNeeded({ id }: JobAnswer, request: AskedRequest): CliError {
  return new CliError(
    'REPLY_NEEDED',
    `The job ${id} waits for a reply, and there is no terminal to ask on: ${requestHeading(request)}`,
    {
      fix:
        `faultline jobs reply ${id} ${replyOptions(request)}; "faultline jobs show ${id}" shows all of it. ` +
        '--yes, with the first command, asks nobody.',
    },
  )
}

async function clarification(session: Session, job: JobAnswer, request: AskedRequest): Promise<ReplyBody> {
  const answer = await askLine(session, 'Your answer (Enter or c: go on with assumptions): ')
  if (answer === null) throw replyNeeded(job, request)
  return { answer }
}

/** Asks for each limit that is used up; if one is left empty the job ends with what it has. */
async function raisedBudget(session: Session, { spent, limit = {} }: AskedRequest): Promise<ReplyBody> {
  const budget: Budget = {}
  for (const unit of ['tokens', 'seconds', 'usd'] as const) {
    const [used, most] = [spent?.[unit] ?? 0, limit[unit]]
    if (most === undefined || used < most) continue
    const answer =
      (await askLine(session, `New limit of ${unit}, more than ${used} (Enter: end with what there is): `))?.trim() ??
      ''
    if (answer === '') return { skip: true }
    budget[unit] = Number(answer.replace(/[ _,'](?=\d{3}(?!\d))/g, ''))
    if (budget[unit] > used) continue
    session.terminal.stderr.write(`Expected a number above ${used}.\n`)
    return raisedBudget(session, { kind: 'budget', spent, limit })
  }
  return { budget }
}

const ENDINGS = new Map([
  ['review_plan', 'end without a feature'],
  ['approve_delivery', 'abort it'],
])

/** What should be different about what a person does not take; nothing where it would change nothing. */
async function rejection(session: Session, request: AskedRequest): Promise<ReplyBody> {
  const rejected = { decision: 'reject' as const }
  if (commentsLeft(request) === 0) return rejected
  const end = ENDINGS.get(request.kind) ?? 'end without changes'
  const comment = (
    await askLine(session, `What should be different? The model is asked again (Enter: ${end}): `)
  )?.trim()
  return comment === undefined || comment === '' ? rejected : { ...rejected, comment }
}

/**
 * Asks on the terminal what a waiting job asks.
 *
 * @param yes - As the option: nobody is asked but about a budget.
 * @throws {CliError} REPLY_NEEDED when nobody is there.
 */
export async function replyTo(session: Session, job: JobAnswer, yes: boolean): Promise<ReplyBody> {
  const request = asked(withCommands(job))
  const { kind } = request
  // what did not work a moment ago would be tried again without end
  if (yes && request.problem != null && !canAsk(session)) throw replyNeeded(job, request)
  if (yes && kind !== 'budget' && request.problem == null) {
    return kind === 'clarification' ? { skip: true } : { decision: 'approve' }
  }
  if (yes && !canAsk(session)) return { skip: true }
  if (!canAsk(session)) throw replyNeeded(job, request)
  const { output, terminal } = session
  terminal.stderr.write(
    `\n${output.paintNote('bold', requestHeading(request))}\n${requestDetail(request, output.paintNote)}`,
  )
  if (kind === 'clarification') return clarification(session, job, request)
  if (kind === 'budget') return raisedBudget(session, request)
  if (await confirm(session, QUESTIONS.get(kind) ?? 'Go on?')) return { decision: 'approve' }
  return rejection(session, request)
}

/**
 * Follows a job to its end: shows its progress and the output of its programs on stderr, and asks its requests on the
 * terminal. Ctrl-C cancels the job, also at a question.
 *
 * @throws {CliError} REPLY_NEEDED when the job asks and nobody is there; it stays waiting.
 */
export async function converse(
  session: Session,
  backend: Backend,
  started: JobAnswer,
  { yes, stateOf }: ConverseOptions,
): Promise<JobAnswer> {
  const shown: Shown = { events: 0, state: null }
  for (let job = started; ;) {
    job = await follow(session, backend, job, shown, stateOf)
    if (job.status === 'failed') {
      const [files, events] = [`"faultline jobs files ${job.id}"`, `"faultline jobs events ${job.id}"`]
      session.output.note(`${files} lists what the job has made, ${events} what happened.`)
    }
    if (job.status !== 'waiting' || job.request === null) return job
    job = await backend.replyToJob(job.id, await orCancel(session, backend, job, replyTo(session, job, yes)))
  }
}
