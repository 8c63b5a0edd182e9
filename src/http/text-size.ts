import { FaultlineError } from '../core/errors.ts'

/** What the contract calls 10 MiB of a trace or a log. */
export const TEXT_LIMIT_BYTES = 10 * 1024 * 1024
/** A text of the greatest size with its escapes in JSON. */
export const TEXT_BODY_LIMIT_BYTES = 16 * 1024 * 1024
/** The same in a form, where a byte takes three if it is no letter of English, and what else the form says. */
export const TEXT_FORM_LIMIT_BYTES = 3 * TEXT_LIMIT_BYTES + 64 * 1024

/**
 * For `preValidation` of routes that take a trace or a log: the schema counts characters and would call it a mistake;
 * the limit is one of size.
 *
 * @param field - The one that holds the text.
 * @param what - How to call it, e.g. `stack trace`.
 */
export function refuseLargeText(body: unknown, field: string, what: string): void {
  const text = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : undefined
  if (typeof text !== 'string' || text.length <= TEXT_LIMIT_BYTES / 3 || Buffer.byteLength(text) <= TEXT_LIMIT_BYTES) {
    return
  } // three bytes a character at most
  throw new FaultlineError(
    'PAYLOAD_TOO_LARGE',
    `The ${what} has more than 10 MiB.`,
    `Send the part of it around the error, or its end: tail -c ${TEXT_LIMIT_BYTES}.`,
  )
}
