import type { Database, Queryable } from '../../../postgres/database.ts'
import type { TextKind, TextStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import type { RunWrites } from './run-writes.ts'

/** The diffs and patches of jobs, in a table. */
export class PostgresTexts implements TextStore {
  readonly #db: Database
  readonly #runs: RunWrites

  constructor(db: Database, runs: RunWrites) {
    this.#db = db
    this.#runs = runs
  }

  /** Copies what was set before step number `before`, within a transaction of the caller. */
  async copy(tx: Queryable, { from, to, before }: { from: number; to: number; before: number }): Promise<void> {
    await tx.query(
      `INSERT INTO job_texts (job_seq, kind, position, text)
       SELECT $1::bigint, kind, position, text FROM job_texts WHERE job_seq = $2 AND position < $3`,
      [to, from, before],
    )
  }

  async set(run: RunKey, kind: TextKind, text: string): Promise<void> {
    await this.#runs.need(run, {
      parts: values => ({
        and: {
          put: `INSERT INTO job_texts (job_seq, kind, position, text)
            SELECT seq, ${values.add(kind, 'text')}, last_position + 1, ${values.add(text, 'text')} FROM fence
            ON CONFLICT (job_seq, kind, position) DO UPDATE SET text = excluded.text`,
        },
        select: 'id',
        bytes: Buffer.byteLength(text),
      }),
    })
  }

  async get(seq: number, kind: TextKind): Promise<string | null> {
    const { rows } = await this.#db.query(
      'SELECT text FROM job_texts WHERE job_seq = $1 AND kind = $2 ORDER BY position DESC LIMIT 1',
      [seq, kind],
    )
    return rows[0] === undefined ? null : String(rows[0].text)
  }
}
