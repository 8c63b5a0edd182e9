import type { JobEvent, JobEventKind, JsonObject, Progress } from '../../../core/job.ts'
import type { Database } from '../../../postgres/database.ts'
import type { EventStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import { parseObject } from '../rows.ts'
import type { RunWrites } from './run-writes.ts'
import { toldEvents } from './told-events.ts'
import type { Clock, Values } from './values.ts'

/** The events of jobs, in a table. */
export class PostgresEvents implements EventStore {
  readonly #db: Database
  readonly #clock: Clock
  readonly #runs: RunWrites

  constructor(db: Database, clock: Clock, runs: RunWrites) {
    this.#db = db
    this.#clock = clock
    this.#runs = runs
  }

  async list(seq: number, after: number, limit: number): Promise<JobEvent[]> {
    const { rows } = await this.#db.query(
      'SELECT id, at, event, data FROM job_events WHERE job_seq = $1 AND id > $2 ORDER BY id LIMIT $3',
      [seq, after, limit < 0 ? null : limit],
    )
    return rows.map(row => ({
      id: Number(row.id),
      at: String(row.at),
      event: row.event as JobEventKind,
      data: parseObject(row.data),
    }))
  }

  async last(seq: number): Promise<number> {
    const { rows } = await this.#db.query('SELECT last_event FROM jobs WHERE seq = $1', [seq])
    return Number(rows[0]?.last_event ?? 0)
  }

  async backlog(seq: number, after: number): Promise<{ events: number; chars: number }> {
    const { rows } = await this.#db.query(
      `SELECT count(*) AS events, coalesce(sum(length(data)), 0) AS chars FROM job_events
       WHERE job_seq = $1 AND id > $2`,
      [seq, after],
    )
    return { events: Number(rows[0]?.events), chars: Number(rows[0]?.chars) }
  }

  async progress(run: RunKey, progress: Progress): Promise<void> {
    await this.#add(run, 'step', { ...progress }, values => [
      `progress = ${values.add(JSON.stringify(progress))}`,
      `updated_at = ${this.#clock.now(values)}`,
    ])
  }

  async text(run: RunKey, event: 'log' | 'token', text: string, more: JsonObject = {}): Promise<void> {
    await this.#add(run, event, { text, ...more })
  }

  async suspects(run: RunKey, found: JsonObject): Promise<void> {
    await this.#add(run, 'suspects', found)
  }

  async #add(
    run: RunKey,
    event: JobEventKind,
    data: JsonObject,
    changes: (values: Values) => string[] = () => [],
  ): Promise<void> {
    await this.#runs.need(run, {
      needsRunning: true,
      isQuick: true,
      parts: values => {
        const told = toldEvents(values, this.#clock, [{ event, data }])
        return {
          set: [told.set, ...changes(values)],
          and: { told: told.sql },
          select: 'id',
          bytes: JSON.stringify(data).length,
        }
      },
    })
  }
}
