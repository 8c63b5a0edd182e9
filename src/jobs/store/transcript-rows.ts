import type { TranscriptEntry } from '../../core/job.ts'
import type { PackedJson, RecordedEntry } from './job-store.ts'
import { packJsonSync, unpackJson } from './packed-json.ts'
import { parse, type Row } from './rows.ts'

/** Characters from which on an entry is packed: prompts hold whole files. */
const PACK_FROM_CHARS = 16_384

/** How an entry is written: as text, or packed. */
export function entryRows(entry: TranscriptEntry): { text: string | null; packed: PackedJson | null } {
  const json = JSON.stringify(entry)
  return json.length < PACK_FROM_CHARS ? { text: json, packed: null } : { text: null, packed: packJsonSync(json) }
}

/** The entry that a row holds. */
export function toRecordedEntry({ at, step, entry, packed }: Row): RecordedEntry {
  const stored: unknown = packed instanceof Uint8Array ? unpackJson(packed) : parse(entry)
  return { at: String(at), step: step as string | null, entry: stored as TranscriptEntry }
}
