import type { Static } from '@fastify/type-provider-typebox'
import type { LocatedCode, WrittenCode } from '../core/resolution.ts'
import { FoundSchema, OutcomeSchema } from './resolution.ts'
import { fromWire, toWire, type CamelCased } from './wire.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What was found as JSON in the words of the contract; a millisecond for 500 kB. */
export const writeFound = (found: CamelCased<Static<typeof FoundSchema>>): Uint8Array =>
  encoder.encode(JSON.stringify(toWire(FoundSchema, found)))

/** Located code as JSON, and what the contract has no field for. */
export function writeCode(code: LocatedCode): WrittenCode {
  const { marked, degraded, timingsMs, frames } = code
  return {
    json: writeFound(code),
    marked,
    degraded,
    timingsMs,
    unwritten: { sourceTexts: frames.map(({ sourceText }) => sourceText) },
  }
}

/** The reverse of `writeCode`. */
export function readCode({ json, unwritten: { sourceTexts }, ...rest }: WrittenCode): LocatedCode {
  const found = fromWire(FoundSchema, JSON.parse(decoder.decode(json)) as Static<typeof FoundSchema>)
  return {
    ...found,
    ...rest,
    exceptions: found.exceptions.map(exception => ({ ...exception, chain: exception.chain ?? 0 })),
    frames: found.frames.map((frame, i) => ({ ...frame, sourceText: sourceTexts[i] ?? null })),
  }
}

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
