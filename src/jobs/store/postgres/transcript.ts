import type { TranscriptEntry } from '../../../core/job.ts'
import type { Database } from '../../../postgres/database.ts'
import type { RecordedEntry, TranscriptStore } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import { entryRows, toRecordedEntry } from '../transcript-rows.ts'
import type { RunWrites } from './run-writes.ts'
import type { Clock, Values } from './values.ts'

/** The SQL that adds entries to the transcript of the job of `fence`, whose `last_entry` has to be raised there. */
export function transcriptRows(
  values: Values,
  clock: Clock,
  { step, entries }: { step: string | null; entries: readonly TranscriptEntry[] },
): { set: string; sql: string; bytes: number } {
  let bytes = 0
  const rows = entries.map((entry, place) => {
    const { text, packed } = entryRows(entry)
    bytes += packed?.length ?? text?.length ?? 0
    const before = entries.length - 1 - place
    const own = [values.add(entry.kind, 'text'), values.add(text, 'text'), values.add(packed, 'bytea')]
    return `(${before}, ${own.join(', ')})`
  })
  return {
    set: `last_entry = last_entry + ${entries.length}`,
    sql: `INSERT INTO job_transcript (job_seq, id, at, step, kind, entry, packed)
      SELECT fence.seq, fence.last_entry - said.before, ${clock.now(values)}, ${values.add(step, 'text')}, said.kind,
        said.entry, said.packed
      FROM fence, (VALUES ${rows.join(', ')}) AS said (before, kind, entry, packed)`,
    bytes,
  }
}

/** The transcripts of jobs, in a table. */
export class PostgresTranscript implements TranscriptStore {
  readonly #db: Database
  readonly #clock: Clock
  readonly #runs: RunWrites

  constructor(db: Database, clock: Clock, runs: RunWrites) {
    this.#db = db
    this.#clock = clock
    this.#runs = runs
  }

  async add(run: RunKey, step: string | null, entry: TranscriptEntry): Promise<void> {
    await this.#runs.need(run, {
      parts: values => {
        const { set, sql, bytes } = transcriptRows(values, this.#clock, { step, entries: [entry] })
        return { set: [set], and: { said: sql }, select: 'id', bytes }
      },
    })
  }

  async all(seq: number): Promise<RecordedEntry[]> {
    const { rows } = await this.#db.query(
      'SELECT at, step, entry, packed FROM job_transcript WHERE job_seq = $1 ORDER BY id',
      [seq],
    )
    return rows.map(toRecordedEntry)
  }
}
