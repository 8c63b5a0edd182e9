import type { DatabaseSync } from 'node:sqlite'
import type { JsonObject, TranscriptEntry } from '../../core/job.ts'
import { packJsonSync, unpackJson } from './packed-json.ts'
import { parse } from './rows.ts'

/** Characters from which on an entry is packed: prompts hold whole files. */
const PACK_FROM_CHARS = 16_384

export interface RecordedEntry {
  at: string
  step: string | null
  entry: TranscriptEntry
}

/** What was said to models and people and what was run, word for word. */
export function createTranscript(db: DatabaseSync, now: () => Date) {
  const add = db.prepare(`INSERT INTO job_transcript (job_seq, id, at, step, kind, entry, packed)
    SELECT ?, coalesce(max(id), 0) + 1, ?, ?, ?, ?, ? FROM job_transcript WHERE job_seq = ?`)
  const all = db.prepare('SELECT at, step, entry, packed FROM job_transcript WHERE job_seq = ? ORDER BY id')
  return {
    add(seq: number, step: string | null, entry: TranscriptEntry): void {
      const text = JSON.stringify(entry)
      const isLarge = text.length >= PACK_FROM_CHARS
      add.run(
        seq,
        now().toISOString(),
        step,
        entry.kind,
        isLarge ? null : text,
        isLarge ? packJsonSync(text) : null,
        seq,
      )
    },
    all: (seq: number): RecordedEntry[] =>
      all.all(seq).map(({ at, step, entry, packed }) => {
        const stored: JsonObject =
          packed instanceof Uint8Array ? unpackJson(packed) : (parse(entry as string) as JsonObject)
        return { at: String(at), step: step as string | null, entry: stored as unknown as TranscriptEntry }
      }),
  }
}

export type Transcript = ReturnType<typeof createTranscript>
