import type { JsonObject } from '../../core/job.ts'
import type { NewJob, PackedJson } from './job-store.ts'
import { packJsonSync, unpackJson } from './packed-json.ts'
import { parseObject, type Row } from './rows.ts'

/** Characters of a body from which on it is packed: reading a row must not mean reading all of a log. */
const PACK_FROM_CHARS = 65_536

/**
 * How a body is written: as text in the row of its job, or packed beside it, where the row keeps the fields that the
 * packed text does not have or has otherwise.
 */
export function bodyRows({ input, packed }: Pick<NewJob, 'input' | 'packed'>): {
  text: string
  packed: PackedJson | null
} {
  if (packed !== undefined) {
    const own = Object.entries(input).filter(([name]) => !packed.fields.includes(name))
    return { text: JSON.stringify(Object.fromEntries(own)), packed: packed.json }
  }
  const text = JSON.stringify(input)
  return text.length < PACK_FROM_CHARS ? { text, packed: null } : { text: '{}', packed: packJsonSync(text) }
}

/** The body that a row with `input` and `packed` holds. */
export function bodyOf({ input, packed }: Row): JsonObject {
  const own = parseObject(input)
  return packed instanceof Uint8Array ? { ...unpackJson(packed), ...own } : own
}
