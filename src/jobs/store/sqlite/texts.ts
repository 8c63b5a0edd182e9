import type { DatabaseSync } from 'node:sqlite'
import type { TextKind, TextStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import type { Attempts } from './attempts.ts'
import type { Transactions } from './transactions.ts'

const prepare = (db: DatabaseSync) => ({
  latest: db.prepare('SELECT text FROM job_texts WHERE job_seq = ? AND kind = ? ORDER BY position DESC LIMIT 1'),
  set: db.prepare('INSERT OR REPLACE INTO job_texts (job_seq, kind, position, text) VALUES (?, ?, ?, ?)'),
  copy: db.prepare(
    `INSERT INTO job_texts (job_seq, kind, position, text)
     SELECT ?, kind, position, text FROM job_texts WHERE job_seq = ? AND position < ?`,
  ),
})

/** The diffs and patches of jobs, in a table. */
export class SqliteTexts implements TextStore {
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

  /** Copies what was set before step number `before`, within a transaction of the caller. */
  copy(from: number, to: number, before: number): void {
    this.#statements.copy.run(to, from, before)
  }

  async set(run: RunKey, kind: TextKind, text: string): Promise<void> {
    this.#attempts.check(run)
    const { seq } = run
    this.#writes.vital(() => this.#statements.set.run(seq, kind, this.#nextPosition(seq), text))
  }

  async get(seq: number, kind: TextKind): Promise<string | null> {
    const row = this.#statements.latest.get(seq, kind)
    return row === undefined ? null : String(row.text)
  }
}
