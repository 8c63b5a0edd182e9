import type { Json } from '../../../core/job.ts'
import type { Database, Queryable } from '../../../postgres/database.ts'
import { BUDGET_STEP } from '../../waiting.ts'
import type { FinishedStep, StepStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import { parse } from '../rows.ts'
import { claimedAgain } from '../status-changes.ts'
import { NO_LOSSES } from './losses.ts'
import type { RunWrites } from './run-writes.ts'
import { toldEvents } from './told-events.ts'
import type { Clock, Values } from './values.ts'

/** The SQL that adds a step to the job of `fence`, whose `last_position` has to be raised there. */
export function stepRow(values: Values, clock: Clock, name: string, output: string): { set: string; sql: string } {
  return {
    set: 'last_position = last_position + 1',
    sql: `INSERT INTO job_steps (job_seq, name, position, output, finished_at)
      SELECT seq, ${values.add(name, 'text')}, last_position, ${values.add(output, 'text')}, ${clock.now(values)}
      FROM fence`,
  }
}

/** The steps of jobs, in a table. */
export class PostgresSteps implements StepStore {
  readonly #db: Database
  readonly #clock: Clock
  readonly #runs: RunWrites

  constructor(db: Database, clock: Clock, runs: RunWrites) {
    this.#db = db
    this.#clock = clock
    this.#runs = runs
  }

  /** Copies the steps before number `before`, within a transaction of the caller. */
  async copy(tx: Queryable, { from, to, before }: { from: number; to: number; before: number }): Promise<void> {
    await tx.query(
      `WITH copied AS (
         INSERT INTO job_steps (job_seq, name, position, output, finished_at)
         SELECT $1::bigint, name, position, output, finished_at FROM job_steps
         WHERE job_seq = $2 AND position < $3 AND name <> $4
         RETURNING position, output)
       UPDATE jobs SET last_position = coalesce((SELECT max(position) FROM copied), 0),
         stored_bytes = stored_bytes + coalesce((SELECT sum(octet_length(output)) FROM copied), 0)
       WHERE seq = $1`,
      [to, from, before, BUDGET_STEP],
    )
  }

  async output(seq: number, name: string): Promise<{ output: Json } | undefined> {
    const { rows } = await this.#db.query('SELECT output FROM job_steps WHERE job_seq = $1 AND name = $2', [seq, name])
    return rows[0] === undefined ? undefined : { output: parse(rows[0].output) }
  }

  async all(seq: number): Promise<FinishedStep[]> {
    const { rows } = await this.#db.query(
      'SELECT name, position, output FROM job_steps WHERE job_seq = $1 AND name <> $2 ORDER BY position',
      [seq, BUDGET_STEP],
    )
    return rows.map(row => ({ name: String(row.name), position: Number(row.position), output: parse(row.output) }))
  }

  async begin(run: RunKey, name: string): Promise<void> {
    await this.#runs.need(run, { parts: values => ({ set: [`last_step = ${values.add(name)}`], select: 'id' }) })
  }

  async finish(run: RunKey, name: string, output: Json | undefined): Promise<void> {
    const text = JSON.stringify(output ?? null)
    const { state } = await this.#runs.write(run, {
      needsRunning: true,
      parts: values => {
        const told = toldEvents(values, this.#clock, [{ event: 'step', data: { step: name, finished: true } }])
        const step = stepRow(values, this.#clock, name, text)
        return {
          set: [told.set, step.set, NO_LOSSES],
          and: { told: told.sql, step: step.sql },
          select: 'id',
          bytes: Buffer.byteLength(text),
        }
      },
    })
    if (state === 'claimed_again') throw claimedAgain()
    if (state === 'not_running') throw new Error('the job does not run any more; its step is not finished')
  }
}
