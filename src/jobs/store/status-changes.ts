import type { NotifyEvent } from '../../contract/primitives.ts'
import { FaultlineError } from '../../core/errors.ts'
import { isTerminal, type JobError, type JobStatus, type Usage } from '../../core/job.ts'
import type { NotificationChannel } from './notification-store.ts'
import type { StoredJob } from './job-store.ts'
import { StaleRunError } from './run-key.ts'

/** How long an idempotency key is kept. */
export const IDEMPOTENCY_MS = 24 * 3_600_000
/** Waits that are told at once. */
export const MAX_UNANSWERED = 200
/** What a job has spent that has not run. */
export const NO_USAGE: Usage = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }
/** What is said of a job whose process was lost. */
export const RESTARTED = 'the server was restarted; finished steps are not repeated'
const CANCELLED = 'The job was cancelled before the task was done.'

/** Where the news of an event goes; the end of a job goes to `callback_url` as the last of its steps. */
export const CHANNELS: Readonly<Record<NotifyEvent, readonly NotificationChannel[]>> = {
  waiting: ['callback', 'telegram'],
  done: ['telegram'],
}

/** What becomes of a task whose job ended. */
export function taskEnd(
  status: JobStatus,
  error: JobError | null,
): { status: 'done' | 'failed'; message: string | null } {
  if (status === 'succeeded') return { status: 'done', message: null }
  return { status: 'failed', message: error?.message ?? CANCELLED }
}

/** What a status is to those who want to be notified. */
export function eventOf(status: JobStatus): NotifyEvent | null {
  if (status === 'waiting') return 'waiting'
  return isTerminal(status) ? 'done' : null
}

/** How many events a job has that runs for the first time: that it was queued, and that it runs. */
const FIRST_EVENTS = 2

/** Whether nothing is stored of a job that was just claimed: it never ran, and takes nothing over. */
export const isFirstRun = ({ retryOf }: Pick<StoredJob, 'retryOf'>, lastEvent: number): boolean =>
  retryOf === null && lastEvent === FIRST_EVENTS

/** The error of a run whose job was claimed again. */
export const claimedAgain = (): StaleRunError => new StaleRunError()

/** The error of a job whose steps are to be taken from one that is gone. */
export const sourceDeleted = (): FaultlineError =>
  new FaultlineError('JOB_NOT_FOUND', 'The job was deleted meanwhile.', 'GET /jobs lists the jobs.')

/** The error of a key that was used for something else. */
export const idempotencyKeyReused = (key: string): FaultlineError =>
  new FaultlineError(
    'IDEMPOTENCY_KEY_REUSED',
    `The Idempotency-Key ${JSON.stringify(key)} was used with another body.`,
    'Send a new key with a new request.',
  )
