import type { NotifyEvent } from '../../../contract/primitives.ts'
import type { NewAuditEntry } from '../../../core/audit.ts'
import { isTerminal, type JobStatus, type JsonObject } from '../../../core/job.ts'
import type { Outcome } from '../job-store.ts'
import { textOf } from '../rows.ts'
import { CHANNELS, eventOf, taskEnd } from '../status-changes.ts'
import { auditRow } from './audit.ts'
import type { WriteParts } from './run-writes.ts'
import { toldEvents, type NewEvent } from './told-events.ts'
import type { Clock, Values } from './values.ts'

/** The events that tell of a change of status. */
function eventsOf(to: JobStatus, { note, suspension, error = null }: Outcome): NewEvent[] {
  const events: NewEvent[] = [{ event: 'status', data: { status: to, message: note } }]
  if (suspension !== undefined) events.push({ event: 'request', data: suspension.request as JsonObject })
  if (isTerminal(to)) {
    events.push({ event: 'done', data: { status: to, error: error === null ? null : { ...error } } })
  }
  return events
}

/** The changes of the row of a job that moves on. */
function assignments(values: Values, now: () => string, to: JobStatus, outcome: Outcome): string[] {
  const { result, error, suspension, activeMs, step } = outcome
  const set = [
    `status = ${values.add(to)}`,
    `error = ${values.add(textOf(error))}`,
    `request = ${values.add(textOf(suspension?.request))}`,
    `asked = ${values.add(suspension?.asked ?? null)}`,
    `waiting_since = ${suspension === undefined ? 'NULL' : now()}`,
    `ended_at = ${isTerminal(to) ? now() : 'NULL'}`,
    `updated_at = ${now()}`,
  ]
  const resultText = textOf(result)
  if (resultText !== null) set.push(`result = ${values.add(resultText)}`)
  if (activeMs !== undefined) set.push(`active_ms = ${values.add(Math.round(activeMs), 'bigint')}`)
  if (typeof step === 'string') set.push(`last_step = ${values.add(step)}`)
  return set
}

/** The SQL that adds what is to be told of a status to those who want to know. */
function newsRows(values: Values, now: () => string, event: NotifyEvent, asked: string | null): string {
  const [name, channels] = [values.add(event, 'text'), values.add(CHANNELS[event], 'text[]')]
  return `INSERT INTO notifications (job_seq, event, channel, asked, at, is_pending)
    SELECT fence.seq, ${name}, channel, ${values.add(asked, 'text')}, ${now()}, true
    FROM fence, unnest(${channels}) WITH ORDINALITY AS wanted (channel, place)
    WHERE ${name} = ANY (fence.notify) ORDER BY place`
}

/** The parts of a write that moves a job on, with all that goes with it; its fence says from which status. */
export function moveParts(
  values: Values,
  clock: Clock,
  { to, outcome = {}, audit }: { to: JobStatus; outcome?: Outcome; audit?: NewAuditEntry },
): Required<Pick<WriteParts, 'set' | 'and'>> {
  const { error = null, suspension } = outcome
  const now = () => clock.now(values)
  const told = toldEvents(values, clock, eventsOf(to, outcome))
  const and: Record<string, string> = { told: told.sql }
  if (isTerminal(to)) {
    const { status, message } = taskEnd(to, error)
    and.ended = `UPDATE tasks SET status = ${values.add(status)}, error_message = ${values.add(message)},
      updated_at = ${now()} FROM fence WHERE tasks.job_seq = fence.seq`
  }
  const event = eventOf(to)
  if (event !== null) and.news = newsRows(values, now, event, suspension?.asked ?? null)
  if (audit !== undefined) and.noted = auditRow(values, clock, audit, 'fence')
  return { set: [...assignments(values, now, to, outcome), told.set], and }
}
