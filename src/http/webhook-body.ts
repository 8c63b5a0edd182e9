import { FaultlineError } from '../core/errors.ts'
import { refuseLargeText, TEXT_LIMIT_BYTES } from './text-size.ts'

/** What would reach for a prototype when it is copied. */
const POISON = ['__proto__', 'constructor']

function needsExactReading(body: unknown, bodyBytes: number): boolean {
  if (typeof body !== 'object' || body === null) return false
  const { log, ...others } = body as Record<string, unknown>
  if (Object.entries(others).some(texts => texts.some(text => typeof text === 'string' && /[^ -~]/.test(text)))) {
    return true
  }
  if (typeof log !== 'string') return false
  // A character written as \uXXXX stands here for itself and may be three bytes; each took five bytes more than its
  // place in the text.
  return log.length + (2 * (bodyBytes - log.length)) / 5 > TEXT_LIMIT_BYTES
}

/**
 * Nothing is looked for below the fields: the schema refuses any that is not a text. To search ten megabytes for it
 * takes longer than to parse them.
 */
function parseFlat(text: string): unknown {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new FaultlineError(
      'MALFORMED_JSON',
      'The body is not JSON.',
      'Check its quotes and escapes: a log holds newlines, which JSON wants as \\n. docs/ci.md has a script.',
      { cause },
    )
  }
  const poison = typeof body === 'object' && body !== null ? POISON.find(name => Object.hasOwn(body, name)) : undefined
  if (poison !== undefined) throw new FaultlineError('MALFORMED_JSON', `The body has a field ${poison}.`)
  return body
}

/**
 * Reads the signed JSON of a log so far as to check it: ten megabytes take about 15 ms instead of 60. The fields are
 * those of the JSON but for `log`, whose characters may be the bytes of its UTF-8 one by one: whoever wants the log
 * takes it from the bytes.
 *
 * No quote, escape or brace is part of a longer character in UTF-8. So JSON that is read a byte a character has the
 * same shape, and what is plain ASCII in it has the same text; where more than the log is not, it is read again as what
 * it is.
 *
 * @throws {FaultlineError} MALFORMED_JSON; PAYLOAD_TOO_LARGE for a log of more than 10 MiB.
 */
export function readLogBody(bytes: Buffer): unknown {
  const quick = parseFlat(bytes.toString('latin1'))
  if (!needsExactReading(quick, bytes.length)) return quick
  const exact = parseFlat(bytes.toString())
  refuseLargeText(exact, 'log', 'log')
  return exact
}
