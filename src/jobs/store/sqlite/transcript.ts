import type { DatabaseSync } from 'node:sqlite'
import type { TranscriptEntry } from '../../../core/job.ts'
import type { RecordedEntry, TranscriptStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import { entryRows, toRecordedEntry } from '../transcript-rows.ts'
import type { Attempts } from './attempts.ts'
import type { Transactions } from './transactions.ts'

const prepare = (db: DatabaseSync) => ({
  add: db.prepare(
    `INSERT INTO job_transcript (job_seq, id, at, step, kind, entry, packed)
     SELECT ?, coalesce(max(id), 0) + 1, ?, ?, ?, ?, ? FROM job_transcript WHERE job_seq = ?`,
  ),
  all: db.prepare('SELECT at, step, entry, packed FROM job_transcript WHERE job_seq = ? ORDER BY id'),
})

/** The transcripts of jobs, in a table. */
export class SqliteTranscript implements TranscriptStore {
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

  /** Adds an entry within a transaction of the caller. */
  addNow(seq: number, step: string | null, entry: TranscriptEntry): void {
    const { text, packed } = entryRows(entry)
    this.#statements.add.run(seq, this.#at(), step, entry.kind, text, packed, seq)
  }

  async add(run: RunKey, step: string | null, entry: TranscriptEntry): Promise<void> {
    this.#attempts.check(run)
    this.#writes.vital(() => this.addNow(run.seq, step, entry))
  }

  async all(seq: number): Promise<RecordedEntry[]> {
    return this.#statements.all.all(seq).map(toRecordedEntry)
  }
}
