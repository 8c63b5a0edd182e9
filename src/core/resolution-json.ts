import type { FoundCode, Resolution } from './resolution.ts'
import { toWireCode, toWireOutcome } from './wire.ts'

const encoder = new TextEncoder()

/** What was located as JSON in the words of the contract; a millisecond for 500 kB. */
export const writeCode = (found: FoundCode): Uint8Array => encoder.encode(JSON.stringify(toWireCode(found)))

/**
 * A whole answer as its JSON, in pieces to be sent one after the other; costs next to nothing, however long the code
 * is, which is not copied.
 *
 * @param code - `writeCode` of what was located for it.
 */
export function writeResolution(resolution: Omit<Resolution, keyof FoundCode>, code: Uint8Array): Uint8Array[] {
  return [
    encoder.encode(`{"id":${JSON.stringify(resolution.id)},`),
    code.subarray(1, -1),
    encoder.encode(`,${JSON.stringify(toWireOutcome(resolution)).slice(1)}`),
  ]
}
