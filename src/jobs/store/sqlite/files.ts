import type { DatabaseSync } from 'node:sqlite'
import type { JobFile } from '../../../core/job.ts'
import type { FileEntry, FileTable } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import type { Attempts } from './attempts.ts'
import { toFile } from '../rows.ts'
import type { Transactions } from './transactions.ts'

const prepare = (db: DatabaseSync) => ({
  // The newest entry of each path; `bytes` and `sha256` are null where it was taken away.
  list: db.prepare(
    `SELECT path, bytes, sha256
     FROM (SELECT path, bytes, sha256, max(position) FROM job_files WHERE job_seq = ? GROUP BY path)
     WHERE sha256 IS NOT NULL ORDER BY path`,
  ),
  find: db.prepare(
    'SELECT path, bytes, sha256 FROM job_files WHERE job_seq = ? AND path = ? ORDER BY position DESC LIMIT 1',
  ),
  add: db.prepare('INSERT OR REPLACE INTO job_files (job_seq, path, position, bytes, sha256) VALUES (?, ?, ?, ?, ?)'),
  copy: db.prepare(
    `INSERT INTO job_files (job_seq, path, position, bytes, sha256)
     SELECT ?, path, position, bytes, sha256 FROM job_files WHERE job_seq = ? AND position < ?`,
  ),
  dropFrom: db.prepare('DELETE FROM job_files WHERE job_seq = ? AND position >= ?'),
  checksums: db.prepare(
    'SELECT DISTINCT sha256 FROM job_files WHERE job_seq = ? AND position < ? AND sha256 IS NOT NULL',
  ),
})

/** What the files of jobs are called, in a table. */
export class SqliteFiles implements FileTable {
  readonly #writes: Transactions
  readonly #attempts: Attempts
  readonly #nextPosition: (seq: number) => number
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: DatabaseSync, writes: Transactions, attempts: Attempts, nextPosition: (seq: number) => number) {
    this.#writes = writes
    this.#attempts = attempts
    this.#nextPosition = nextPosition
    this.#statements = prepare(db)
  }

  /** Copies what was put before step number `before`, within a transaction of the caller. */
  copy(from: number, to: number, before: number): void {
    this.#statements.copy.run(to, from, before)
  }

  async list(seq: number): Promise<JobFile[]> {
    return this.#statements.list.all(seq).map(toFile)
  }

  async find(seq: number, path: string): Promise<JobFile | null> {
    const row = this.#statements.find.get(seq, path)
    return typeof row?.sha256 === 'string' ? toFile(row) : null
  }

  async put(run: RunKey, entries: readonly FileEntry[]): Promise<void> {
    this.#attempts.check(run)
    const { seq } = run
    this.#writes.durable(() => {
      const position = this.#nextPosition(seq)
      for (const { path, bytes, sha256 } of entries) this.#statements.add.run(seq, path, position, bytes, sha256)
    })
  }

  async dropUnfinished(run: RunKey): Promise<void> {
    this.#attempts.check(run)
    const { seq } = run
    this.#writes.vital(() => this.#statements.dropFrom.run(seq, this.#nextPosition(seq)))
  }

  async checksums(seq: number, before: number): Promise<string[]> {
    return this.#statements.checksums.all(seq, before).map(row => String(row.sha256))
  }
}
