import type { DatabaseSync } from 'node:sqlite'
import type { NewAuditEntry } from '../../../core/audit.ts'
import { isFullDisk } from '../../../core/full-disk.ts'
import type { JobKey, RetentionStore } from '../job-store.ts'
import type { Attempts } from './attempts.ts'
import { overwriting } from './database.ts'
import { toKey } from '../rows.ts'
import { IDEMPOTENCY_MS } from '../status-changes.ts'
import type { Transactions } from './transactions.ts'

/** A larger database is not written anew, since all waits meanwhile; its free pages are used again in time. */
const MAX_SCRUBBED_BYTES = 256 * 1024 * 1024
const ENDED = "status IN ('succeeded', 'failed', 'cancelled')"

const prepare = (db: DatabaseSync) => ({
  remove: db.prepare('DELETE FROM jobs WHERE seq = ?'),
  endedBefore: db.prepare(`SELECT seq, id FROM jobs WHERE ${ENDED} AND updated_at < ? LIMIT ?`),
  oldestEnded: db.prepare(`SELECT seq, id FROM jobs WHERE ${ENDED} ORDER BY updated_at LIMIT ?`),
  endedOf: db.prepare(
    `SELECT seq, id FROM jobs WHERE lower(project_name) = lower(?) AND ${ENDED} ORDER BY seq LIMIT ?`,
  ),
  forgetKeysOf: db.prepare('DELETE FROM idempotency_keys WHERE job_id = ?'),
  fileBytes: db.prepare(
    `SELECT coalesce(sum(bytes), 0) AS bytes
     FROM (SELECT DISTINCT job_seq, sha256, bytes FROM job_files WHERE sha256 IS NOT NULL)`,
  ),
  forgetKeys: db.prepare('DELETE FROM idempotency_keys WHERE created_at <= ?'),
})

/** What the retention takes of its store. */
interface RetentionParts {
  /** The time so many milliseconds ago. */
  ago: (ms: number) => string
  attempts: Attempts
  /** Adds an entry within the present transaction. */
  addAudit: (entry: NewAuditEntry) => void
}

/** Ended jobs and old keys, to be forgotten. */
export class SqliteRetention implements RetentionStore {
  readonly #db: DatabaseSync
  readonly #writes: Transactions
  readonly #ago: (ms: number) => string
  readonly #attempts: Attempts
  readonly #addAudit: (entry: NewAuditEntry) => void
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: DatabaseSync, writes: Transactions, { ago, attempts, addAudit }: RetentionParts) {
    this.#db = db
    this.#writes = writes
    this.#ago = ago
    this.#attempts = attempts
    this.#addAudit = addAudit
    this.#statements = prepare(db)
  }

  async endedFor(ms: number, limit: number): Promise<JobKey[]> {
    return this.#statements.endedBefore.all(this.#ago(ms), limit).map(toKey)
  }

  async oldestEnded(limit: number): Promise<JobKey[]> {
    return this.#statements.oldestEnded.all(limit).map(toKey)
  }

  async remove(seqs: readonly number[], audit?: NewAuditEntry): Promise<void> {
    this.#writes.vital(() => {
      for (const seq of seqs) this.#statements.remove.run(seq)
      if (audit !== undefined) this.#addAudit(audit)
    })
    for (const seq of seqs) this.#attempts.forget(seq)
  }

  async endedOf(projectName: string, limit: number): Promise<JobKey[]> {
    return this.#statements.endedOf.all(projectName, limit).map(toKey)
  }

  async purge(jobs: readonly JobKey[]): Promise<void> {
    overwriting(this.#db, () =>
      this.#writes.vital(() => {
        for (const { seq, id } of jobs) {
          this.#statements.remove.run(seq)
          this.#statements.forgetKeysOf.run(id)
        }
      }),
    )
    for (const { seq } of jobs) this.#attempts.forget(seq)
  }

  async scrub(): Promise<void> {
    if (this.#pragma('page_count') * this.#pragma('page_size') > MAX_SCRUBBED_BYTES) return
    try {
      // rows that were replaced leave their text in pages, where `overwriting` does not look
      this.#db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      if (!isFullDisk(error)) throw error // a copy of the file needs as much room again
    }
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
