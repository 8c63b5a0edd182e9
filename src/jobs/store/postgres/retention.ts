import type { NewAuditEntry } from '../../../core/audit.ts'
import type { Database, Queryable } from '../../../postgres/database.ts'
import type { JobKey, RetentionStore } from '../job-store.ts'
import { toKey } from '../rows.ts'
import { IDEMPOTENCY_MS } from '../status-changes.ts'
import { auditRow } from './audit.ts'
import type { HandOut } from './hand-out.ts'
import { Values, type Clock } from './values.ts'

const ENDED = "status IN ('succeeded', 'failed', 'cancelled')"

/** Ended jobs and old keys, to be forgotten. */
export class PostgresRetention implements RetentionStore {
  readonly #db: Database
  readonly #clock: Clock
  readonly #handOut: HandOut | null

  constructor(db: Database, clock: Clock, handOut: HandOut | null) {
    this.#db = db
    this.#clock = clock
    this.#handOut = handOut
  }

  async endedFor(ms: number, limit: number): Promise<JobKey[]> {
    const values = new Values()
    const { rows } = await this.#db.query(
      `SELECT seq, id FROM jobs WHERE ended_at < ${this.#clock.ago(values, ms)}
       ORDER BY ended_at, seq LIMIT ${values.add(limit)}`,
      values.list,
    )
    return rows.map(toKey)
  }

  async oldestEnded(limit: number): Promise<JobKey[]> {
    const { rows } = await this.#db.query(
      'SELECT seq, id FROM jobs WHERE ended_at IS NOT NULL ORDER BY ended_at, seq LIMIT $1',
      [limit],
    )
    return rows.map(toKey)
  }

  async remove(seqs: readonly number[], audit?: NewAuditEntry): Promise<void> {
    await this.#db.transaction(async tx => {
      await this.#removeIn(tx, seqs)
      if (audit === undefined) return
      const values = new Values()
      await tx.query(auditRow(values, this.#clock, audit), values.list)
    })
  }

  async endedOf(projectName: string, limit: number): Promise<JobKey[]> {
    const { rows } = await this.#db.query(
      `SELECT seq, id FROM jobs WHERE lower(project_name) = lower($1) AND ${ENDED} ORDER BY seq LIMIT $2`,
      [projectName, limit],
    )
    return rows.map(toKey)
  }

  async purge(jobs: readonly JobKey[]): Promise<void> {
    await this.#db.transaction(async tx => {
      await this.#removeIn(
        tx,
        jobs.map(({ seq }) => seq),
      )
      await tx.query('DELETE FROM idempotency_keys WHERE job_id = ANY ($1::text[])', [jobs.map(({ id }) => id)])
    })
  }

  /** Has nothing to do: the database takes the room of deleted rows back by itself. */
  async scrub(): Promise<void> {}

  async forgetKeys(): Promise<void> {
    const values = new Values()
    await this.#db.query(
      `DELETE FROM idempotency_keys WHERE created_at <= ${this.#clock.ago(values, IDEMPOTENCY_MS)}`,
      values.list,
    )
  }

  /** Counted by row: the size of the tables falls long after jobs were removed, and more would be removed meanwhile. */
  async usedBytes(): Promise<number> {
    const { rows } = await this.#db.query(
      `SELECT (SELECT coalesce(sum(stored_bytes), 0) FROM jobs) + (
         SELECT coalesce(sum(bytes), 0) FROM (
           SELECT DISTINCT job_seq, sha256, bytes FROM job_files WHERE sha256 IS NOT NULL) AS kept) AS bytes`,
    )
    return Number(rows[0]?.bytes)
  }

  async #removeIn(tx: Queryable, seqs: readonly number[]): Promise<void> {
    const { rows } = await tx.query('DELETE FROM jobs WHERE seq = ANY ($1::bigint[]) RETURNING seq, status', [seqs])
    for (const { seq, status } of rows) if (status === 'queued') await this.#handOut?.ended(tx, Number(seq))
  }
}
