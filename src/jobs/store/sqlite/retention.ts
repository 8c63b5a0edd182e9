import type { DatabaseSync } from 'node:sqlite'
import type { JobKey, RetentionStore } from '../job-store.ts'
import type { Attempts } from './attempts.ts'
import type { Row } from './rows.ts'
import type { Transactions } from './transactions.ts'

/** How long an idempotency key is kept. */
export const IDEMPOTENCY_MS = 24 * 3_600_000
const ENDED = "status IN ('succeeded', 'failed', 'cancelled')"

const prepare = (db: DatabaseSync) => ({
  remove: db.prepare('DELETE FROM jobs WHERE seq = ?'),
  endedBefore: db.prepare(`SELECT seq, id FROM jobs WHERE ${ENDED} AND updated_at < ? LIMIT ?`),
  oldestEnded: db.prepare(`SELECT seq, id FROM jobs WHERE ${ENDED} ORDER BY updated_at LIMIT ?`),
  fileBytes: db.prepare(
    `SELECT coalesce(sum(bytes), 0) AS bytes
     FROM (SELECT DISTINCT job_seq, sha256, bytes FROM job_files WHERE sha256 IS NOT NULL)`,
  ),
  forgetKeys: db.prepare('DELETE FROM idempotency_keys WHERE created_at <= ?'),
})

const toKey = (row: Row): JobKey => ({ seq: Number(row.seq), id: String(row.id) })

/** Ended jobs and old keys, to be forgotten. */
export class SqliteRetention implements RetentionStore {
  readonly #db: DatabaseSync
  readonly #writes: Transactions
  readonly #ago: (ms: number) => string
  readonly #attempts: Attempts
  readonly #statements: ReturnType<typeof prepare>

  /** @param ago - The time so many milliseconds ago. */
  constructor(db: DatabaseSync, writes: Transactions, ago: (ms: number) => string, attempts: Attempts) {
    this.#db = db
    this.#writes = writes
    this.#ago = ago
    this.#attempts = attempts
    this.#statements = prepare(db)
  }

  async endedFor(ms: number, limit: number): Promise<JobKey[]> {
    return this.#statements.endedBefore.all(this.#ago(ms), limit).map(toKey)
  }

  async oldestEnded(limit: number): Promise<JobKey[]> {
    return this.#statements.oldestEnded.all(limit).map(toKey)
  }

  async remove(seqs: readonly number[]): Promise<void> {
    this.#writes.vital(() => {
      for (const seq of seqs) this.#statements.remove.run(seq)
    })
    for (const seq of seqs) this.#attempts.forget(seq)
  }

  async forgetKeys(): Promise<void> {
    this.#writes.vital(() => this.#statements.forgetKeys.run(this.#ago(IDEMPOTENCY_MS)))
  }

  async usedBytes(): Promise<number> {
    const pages = this.#pragma('page_count') - this.#pragma('freelist_count')
    return Number(this.#statements.fileBytes.get()?.bytes) + pages * this.#pragma('page_size')
  }

  #pragma(name: string): number {
    return Number(Object.values(this.#db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  }
}
