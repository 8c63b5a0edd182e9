import type { JobEventKind, JsonObject } from '../../../core/job.ts'
import type { Clock, Values } from './values.ts'

/** An event that is written with a change of its job. */
export interface NewEvent {
  event: JobEventKind
  data: JsonObject
}

/**
 * The SQL that adds events to the job of `fence`, whose `last_event` has to be raised by their number there: the row of
 * the job is locked, so that numbers have no gaps and none is given twice.
 */
export function toldEvents(values: Values, clock: Clock, events: readonly NewEvent[]): { set: string; sql: string } {
  const rows = events.map(({ event, data }, place) => {
    const before = events.length - 1 - place
    return `(${before}, ${values.add(event, 'text')}, ${values.add(JSON.stringify(data), 'text')})`
  })
  return {
    set: `last_event = last_event + ${events.length}`,
    sql: `INSERT INTO job_events (job_seq, id, at, event, data)
      SELECT fence.seq, fence.last_event - told.before, ${clock.now(values)}, told.event, told.data
      FROM fence, (VALUES ${rows.join(', ')}) AS told (before, event, data)`,
  }
}
