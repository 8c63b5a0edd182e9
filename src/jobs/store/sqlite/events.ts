import type { DatabaseSync } from 'node:sqlite'
import type { JobEvent, JobEventKind, JsonObject, Progress } from '../../../core/job.ts'
import type { EventStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import type { Attempts } from './attempts.ts'
import { parseObject } from '../rows.ts'
import type { Transactions } from './transactions.ts'

const prepare = (db: DatabaseSync) => ({
  add: db.prepare(
    `INSERT INTO job_events (job_seq, id, at, event, data)
     SELECT ?, coalesce(max(id), 0) + 1, ?, ?, ? FROM job_events WHERE job_seq = ?`,
  ),
  list: db.prepare('SELECT id, at, event, data FROM job_events WHERE job_seq = ? AND id > ? ORDER BY id LIMIT ?'),
  last: db.prepare('SELECT coalesce(max(id), 0) AS id FROM job_events WHERE job_seq = ?'),
  backlog: db.prepare(
    `SELECT count(*) AS events, coalesce(sum(length(data)), 0) AS chars
     FROM job_events WHERE job_seq = ? AND id > ?`,
  ),
  running: db.prepare("SELECT 1 FROM jobs WHERE seq = ? AND status = 'running'"),
  setProgress: db.prepare('UPDATE jobs SET progress = ?, updated_at = ? WHERE seq = ?'),
})

/** The events of jobs, in a table. */
export class SqliteEvents implements EventStore {
  readonly #writes: Transactions
  readonly #at: () => string
  readonly #attempts: Attempts
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: DatabaseSync, writes: Transactions, at: () => string, attempts: Attempts) {
    this.#writes = writes
    this.#at = at
    this.#attempts = attempts
    this.#statements = prepare(db)
  }

  /** Adds an event within a transaction of the caller. */
  add(seq: number, event: JobEventKind, data: JsonObject): void {
    this.#statements.add.run(seq, this.#at(), event, JSON.stringify(data), seq)
  }

  /** Whether a run may add events: `done` is the last one of a job. */
  isRunning(seq: number): boolean {
    return this.#statements.running.get(seq) !== undefined
  }

  async list(seq: number, after: number, limit: number): Promise<JobEvent[]> {
    return this.#statements.list.all(seq, after, limit).map(row => ({
      id: Number(row.id),
      at: String(row.at),
      event: row.event as JobEventKind,
      data: parseObject(row.data),
    }))
  }

  async last(seq: number): Promise<number> {
    return Number(this.#statements.last.get(seq)?.id)
  }

  async backlog(seq: number, after: number): Promise<{ events: number; chars: number }> {
    const row = this.#statements.backlog.get(seq, after)
    return { events: Number(row?.events), chars: Number(row?.chars) }
  }

  async progress(run: RunKey, progress: Progress): Promise<void> {
    this.#attempts.check(run)
    if (!this.isRunning(run.seq)) return
    this.#writes.quick(() => {
      this.#statements.setProgress.run(JSON.stringify(progress), this.#at(), run.seq)
      this.add(run.seq, 'step', { ...progress })
    })
  }

  async text(run: RunKey, event: 'log' | 'token', text: string, more: JsonObject = {}): Promise<void> {
    this.#attempts.check(run)
    if (!this.isRunning(run.seq)) return
    this.#writes.quick(() => this.add(run.seq, event, { text, ...more }))
  }

  async suspects(run: RunKey, found: JsonObject): Promise<void> {
    this.#attempts.check(run)
    if (!this.isRunning(run.seq)) return
    this.#writes.quick(() => this.add(run.seq, 'suspects', found))
  }
}
