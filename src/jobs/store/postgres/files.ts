import type { JobFile } from '../../../core/job.ts'
import type { Database, Queryable } from '../../../postgres/database.ts'
import type { FileEntry, FileTable } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import { toFile } from '../rows.ts'
import type { RunWrites } from './run-writes.ts'

/** What the files of jobs are called, in a table. */
export class PostgresFiles implements FileTable {
  readonly #db: Database
  readonly #runs: RunWrites

  constructor(db: Database, runs: RunWrites) {
    this.#db = db
    this.#runs = runs
  }

  /** Copies what was put before step number `before`, within a transaction of the caller. */
  async copy(tx: Queryable, { from, to, before }: { from: number; to: number; before: number }): Promise<void> {
    await tx.query(
      `INSERT INTO job_files (job_seq, path, position, bytes, sha256)
       SELECT $1::bigint, path, position, bytes, sha256 FROM job_files WHERE job_seq = $2 AND position < $3`,
      [to, from, before],
    )
  }

  async list(seq: number): Promise<JobFile[]> {
    // the newest entry of each path; `bytes` and `sha256` are null where it was taken away
    const { rows } = await this.#db.query(
      `SELECT path, bytes, sha256 FROM (
         SELECT DISTINCT ON (path) path, bytes, sha256 FROM job_files WHERE job_seq = $1
         ORDER BY path, position DESC) AS newest
       WHERE sha256 IS NOT NULL ORDER BY path`,
      [seq],
    )
    return rows.map(toFile)
  }

  async find(seq: number, path: string): Promise<JobFile | null> {
    const { rows } = await this.#db.query(
      'SELECT path, bytes, sha256 FROM job_files WHERE job_seq = $1 AND path = $2 ORDER BY position DESC LIMIT 1',
      [seq, path],
    )
    const [row] = rows
    return typeof row?.sha256 === 'string' ? toFile(row) : null
  }

  async put(run: RunKey, entries: readonly FileEntry[]): Promise<void> {
    const latest = [...new Map(entries.map(entry => [entry.path, entry])).values()] // one statement, one row a path
    await this.#runs.need(run, {
      parts: values => ({
        and: {
          put: `INSERT INTO job_files (job_seq, path, position, bytes, sha256)
            SELECT fence.seq, entry.path, fence.last_position + 1, entry.bytes, entry.sha256
            FROM fence, unnest(${values.add(
              latest.map(({ path }) => path),
              'text[]',
            )}, ${values.add(
              latest.map(({ bytes }) => bytes),
              'bigint[]',
            )}, ${values.add(
              latest.map(({ sha256 }) => sha256),
              'text[]',
            )}) AS entry (path, bytes, sha256)
            ON CONFLICT (job_seq, path, position) DO UPDATE SET bytes = excluded.bytes, sha256 = excluded.sha256`,
        },
        select: 'id',
      }),
    })
  }

  async dropUnfinished(run: RunKey): Promise<void> {
    await this.#runs.need(run, {
      parts: () => ({
        and: {
          dropped: `DELETE FROM job_files USING fence
            WHERE job_files.job_seq = fence.seq AND job_files.position > fence.last_position`,
        },
        select: 'id',
      }),
    })
  }

  async checksums(seq: number, before: number): Promise<string[]> {
    const { rows } = await this.#db.query(
      'SELECT DISTINCT sha256 FROM job_files WHERE job_seq = $1 AND position < $2 AND sha256 IS NOT NULL',
      [seq, before],
    )
    return rows.map(row => String(row.sha256))
  }
}
