import type { DatabaseSync } from 'node:sqlite'
import type { Json } from '../../../core/job.ts'
import { BUDGET_STEP } from '../../waiting.ts'
import type { FinishedStep, StepStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import type { Attempts } from './attempts.ts'
import type { SqliteEvents } from './events.ts'
import { parse } from '../rows.ts'
import type { Transactions } from './transactions.ts'

const prepare = (db: DatabaseSync) => ({
  output: db.prepare('SELECT output FROM job_steps WHERE job_seq = ? AND name = ?'),
  all: db.prepare('SELECT name, position, output FROM job_steps WHERE job_seq = ? AND name <> ? ORDER BY position'),
  add: db.prepare('INSERT INTO job_steps (job_seq, name, position, output, finished_at) VALUES (?, ?, ?, ?, ?)'),
  begin: db.prepare('UPDATE jobs SET last_step = ? WHERE seq = ?'),
  forgetLosses: db.prepare('UPDATE jobs SET losses = 0 WHERE seq = ? AND losses > 0'),
  last: db.prepare('SELECT coalesce(max(position), 0) AS position FROM job_steps WHERE job_seq = ?'),
  copy: db.prepare(
    `INSERT INTO job_steps (job_seq, name, position, output, finished_at)
     SELECT ?, name, position, output, finished_at FROM job_steps WHERE job_seq = ? AND position < ? AND name <> ?`,
  ),
})

/** The steps of jobs, in a table. */
export class SqliteSteps implements StepStore {
  readonly #writes: Transactions
  readonly #at: () => string
  readonly #events: SqliteEvents
  readonly #attempts: Attempts
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: DatabaseSync, writes: Transactions, at: () => string, attempts: Attempts, events: SqliteEvents) {
    this.#writes = writes
    this.#at = at
    this.#events = events
    this.#attempts = attempts
    this.#statements = prepare(db)
  }

  /** The position of the step that is to finish next: what it writes is kept with that number. */
  nextPosition(seq: number): number {
    return Number(this.#statements.last.get(seq)?.position) + 1
  }

  /** Adds a step within a transaction of the caller. */
  add(seq: number, name: string, output: Json | undefined): void {
    this.#statements.add.run(seq, name, this.nextPosition(seq), JSON.stringify(output ?? null), this.#at())
  }

  /** Copies the steps before number `before`, within a transaction of the caller. */
  copy(from: number, to: number, before: number): void {
    this.#statements.copy.run(to, from, before, BUDGET_STEP)
  }

  async output(seq: number, name: string): Promise<{ output: Json } | undefined> {
    const row = this.#statements.output.get(seq, name)
    return row === undefined ? undefined : { output: parse(row.output) }
  }

  async all(seq: number): Promise<FinishedStep[]> {
    return this.#statements.all.all(seq, BUDGET_STEP).map(row => ({
      name: String(row.name),
      position: Number(row.position),
      output: parse(row.output),
    }))
  }

  async begin(run: RunKey, name: string): Promise<void> {
    this.#attempts.check(run)
    this.#writes.quick(() => this.#statements.begin.run(name, run.seq))
  }

  async finish(run: RunKey, name: string, output: Json | undefined): Promise<void> {
    this.#attempts.check(run)
    if (!this.#events.isRunning(run.seq)) throw new Error('the job does not run any more; its step is not finished')
    this.#writes.vital(() => {
      this.add(run.seq, name, output)
      this.#events.add(run.seq, 'step', { step: name, finished: true })
      this.#statements.forgetLosses.run(run.seq)
    })
  }
}
