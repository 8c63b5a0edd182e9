import type { Static } from '@fastify/type-provider-typebox'
import { FoundSchema, OutcomeSchema } from './resolution.ts'
import { toWire, type CamelCased } from './wire.ts'

const encoder = new TextEncoder()

/** What was found as JSON in the words of the contract; a millisecond for 500 kB. */
export const writeFound = (found: CamelCased<Static<typeof FoundSchema>>): Uint8Array =>
  encoder.encode(JSON.stringify(toWire(FoundSchema, found)))

/**
 * A whole answer as its JSON, in pieces to be sent one after the other; costs next to nothing, however long the code
 * is, which is not copied.
 *
 * @param found - `writeFound` of what was located for it.
 */
export function writeResolution(
  resolution: { id: string } & CamelCased<Static<typeof OutcomeSchema>>,
  found: Uint8Array,
): Uint8Array[] {
  return [
    encoder.encode(`{"id":${JSON.stringify(resolution.id)},`),
    found.subarray(1, -1),
    encoder.encode(`,${JSON.stringify(toWire(OutcomeSchema, resolution)).slice(1)}`),
  ]
}
