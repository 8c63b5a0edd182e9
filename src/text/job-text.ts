import type { JobAnswer, JobEventAnswer } from '../contract/job.ts'
import type { CloneAnswer } from '../contract/project.ts'
import { resultText } from './generation-text.ts'
import type { Paint } from './paint.ts'
import { requestText } from './request-text.ts'
import { columns, count, milliseconds, shortCommit, uncommittedText } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'

/** A job's progress on one line. */
export function progressText({ type, status, progress, queue_position: position }: JobAnswer): string {
  if (status === 'queued') {
    return position === null || position === 0
      ? `${type}: queued`
      : `${type}: queued, ${count(position, 'job')} before it`
  }
  return progress === null ? `${type}: ${status}` : `${type}: ${progress.step}: ${progress.message}`
}

const COLOUR = {
  queued: 'yellow',
  running: 'cyan',
  waiting: 'yellow',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'gray',
} as const

/** The jobs as a table. */
export function jobsTable(jobs: JobAnswer[], paint: Paint): string {
  if (jobs.length === 0) return 'No jobs.'
  return columns(
    jobs.map(job => [
      job.id,
      paint(COLOUR[job.status], job.status),
      job.type,
      job.project_name ?? '',
      job.created_at,
      job.error === null ? '' : printableLine(job.error.message),
    ]),
  )
}

/** The result of a clone job, in two or three lines. */
export function cloneText(result: CloneAnswer, paint: Paint): string {
  const skipped = Object.entries(result.files_skipped).filter(([, number]) => number > 0)
  const changes =
    result.chunks_added + result.chunks_removed === 0
      ? 'nothing has changed'
      : `${result.chunks_added} added, ${result.chunks_removed} removed`
  const branch = result.branch === null ? '' : `, ${printableLine(result.branch)}`
  const changed = uncommittedText(result.uncommitted_files)
  const source = `${printableLine(result.repository)}${branch} at ${shortCommit(result.commit)}${changed}`
  const took = milliseconds(result.timings_ms.total)
  const project = `${paint('green', 'Indexed')} ${paint('bold', result.project_name)}`
  return [
    `${project}: ${count(result.files_indexed, 'file')} of ${source} in ${took}`,
    `${count(result.chunks_total, 'chunk')} (${changes})`,
    ...(skipped.length === 0
      ? []
      : [
          paint(
            'dim',
            `Left out: ${skipped.map(([reason, number]) => `${number} ${reason.replaceAll('_', ' ')}`).join(', ')}`,
          ),
        ]),
  ].join('\n')
}

/** Everything about one job, a row each. */
export function jobText(job: JobAnswer, paint: Paint): string {
  const lines = [
    ['Job', job.id],
    ['Type', job.type],
    ['Status', paint(COLOUR[job.status], job.status)],
    ['Project', job.project_name ?? '-'],
    ['Created', job.created_at],
    ['Updated', job.updated_at],
    ...(job.retry_of === null ? [] : [['Retry of', job.retry_of]]),
    ...(job.progress === null ? [] : [['Progress', printableLine(`${job.progress.step}: ${job.progress.message}`)]]),
    ...(job.error === null ? [] : [['Error', paint('red', printableLine(`${job.error.code}: ${job.error.message}`))]]),
    ...(job.error?.fix === undefined ? [] : [['Fix', printableLine(job.error.fix)]]),
  ]
  const result =
    job.type === 'clone' && job.result !== null ? cloneText(job.result as CloneAnswer, paint) : resultText(job, paint)
  return columns(lines) + requestText(job, paint) + (result === '' ? '' : `\n${result}`)
}

function eventDetail(data: JobEventAnswer['data']): string {
  const { step, message, status, text } = data
  if (typeof message === 'string') return typeof step === 'string' ? `${step}: ${message}` : message
  if (typeof status === 'string') return status
  return typeof text === 'string' ? text : JSON.stringify(data)
}

/** The events of a job, a line each. */
export function eventsText(events: JobEventAnswer[], paint: Paint): string {
  if (events.length === 0) return 'No events.'
  return events
    .map(
      ({ id, at, event, data }) =>
        `${String(id).padStart(4)}  ${paint('dim', at)}  ${event.padEnd(8)}${printable(eventDetail(data))}`,
    )
    .join('\n')
}
