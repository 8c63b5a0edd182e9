import type { JobAnswer, JobEventAnswer } from '../contract/job.ts'
import type { CloneAnswer } from '../contract/project.ts'
import { isObject } from '../core/is-object.ts'
import { resultText } from './generation-text.ts'
import type { Paint } from './paint.ts'
import { asked, requestHeading, requestText } from './request-text.ts'
import { columns, count, milliseconds, shortCommit, timeText, uncommittedText } from './table.ts'
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

/** What a list shows of one event. */
const MAX_EVENT_CHARS = 2_000

interface EventRow {
  id: number
  at: string
  step: string
  text: string
}

function eventDetail({ event, data }: JobEventAnswer): string {
  const { message, status, text, error, finished, suspect_commits: suspects, changed_since: changes } = data
  if (typeof message === 'string') return message
  if (typeof text === 'string') return text.trimEnd()
  if (event === 'step' && finished === true) return 'finished'
  if (event === 'suspects' && Array.isArray(suspects)) {
    const later = Array.isArray(changes) && changes.length > 0 ? `, ${count(changes.length, 'later change')}` : ''
    return `${count(suspects.length, 'suspect commit')} found${later}`
  }
  if (event === 'request') return requestHeading(asked({ request: data as JobAnswer['request'] }))
  const failure = isObject(error) && typeof error.message === 'string' ? `: ${error.message}` : ''
  return typeof status === 'string' ? `${status}${failure}` : JSON.stringify(data)
}

/** A row for each event; what a model wrote piece by piece is one. */
function eventRows(events: readonly JobEventAnswer[]): EventRow[] {
  const rows: EventRow[] = []
  let step = ''
  let isWriting = false
  for (const event of events) {
    const { id, at, data } = event
    if (typeof data.step === 'string') step = data.step
    const text = eventDetail(event)
    const last = rows.at(-1)
    if (event.event === 'token' && isWriting && last !== undefined) last.text += String(data.text)
    else rows.push({ id, at, step, text: event.event === 'token' ? String(data.text) : text })
    isWriting = event.event === 'token'
  }
  return rows
}

const shortened = (text: string): string =>
  text.length <= MAX_EVENT_CHARS ? text : `${text.slice(0, MAX_EVENT_CHARS)} … (${count(text.length, 'character')})`

/** The events of a job: number, time (UTC), step and what happened. Further lines of a text stand below its first. */
export function eventsText(events: JobEventAnswer[], paint: Paint): string {
  if (events.length === 0) return 'No events.'
  const rows = eventRows(events)
  const idWidth = Math.max(...rows.map(({ id }) => String(id).length))
  const stepWidth = Math.max(...rows.map(({ step }) => printableLine(step).length))
  return rows
    .map(({ id, at, step, text }) => {
      const head = [String(id).padStart(idWidth), timeText(at), printableLine(step).padEnd(stepWidth)]
      const indent = ' '.repeat(head.join('  ').length + 2)
      const [number = '', time = '', name = ''] = head
      const lines = printable(shortened(text.trim())).replaceAll('\n', `\n${indent}`)
      return `${number}  ${paint('dim', time)}  ${paint('bold', name)}  ${lines}`.trimEnd()
    })
    .join('\n')
}
