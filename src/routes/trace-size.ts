import { FaultlineError } from '../core/errors.ts'

const TRACE_LIMIT_BYTES = 10 * 1024 * 1024
/** JSON escapes make a trace longer on its way. */
export const TRACE_BODY_LIMIT_BYTES = 16 * 1024 * 1024

/** For `preValidation`: the schema counts characters and would call it a mistake; the limit is one of size. */
export function refuseLargeTrace (body: unknown): void {
  if (typeof body !== 'object' || body === null || !('stacktrace' in body) || typeof body.stacktrace !== 'string') return
  if (Buffer.byteLength(body.stacktrace) <= TRACE_LIMIT_BYTES) return
  throw new FaultlineError('PAYLOAD_TOO_LARGE', 'The stack trace has more than 10 MiB.', 'Send the part of the log around the error.')
}
