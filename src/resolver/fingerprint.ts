import { createHash } from 'node:crypto'
import type { MappedFrame, ParsedException } from '../core/frame.ts'
import { functionName } from './code-line.ts'
import { baseName } from './file-index.ts'
import { framePath } from './frame-path.ts'

const HEX_DIGITS = 32

/**
 * A name for a fault that stays the same when lines shift, paths begin otherwise and values in the message change: made
 * of the exception's type, its message without values, and file and function of its frames in the project (of all its
 * frames when none is).
 *
 * @param frames - Of this exception.
 * @returns null when there is nothing to tell one fault from another.
 */
export function fingerprint (exception: ParsedException, frames: readonly MappedFrame[]): string | null {
  const own = frames.filter(frame => frame.inProject)
  const places = (own.length > 0 ? own : frames).map(placeOf)
  const message = exception.message === null ? null : withoutValues(exception.message)
  if (exception.type === null && message === null && places.length === 0) return null
  // Recursion of another depth, or a caller that stands there twice, is the same fault.
  const distinct = places.filter((place, index) => place !== places[index - 1])
  return createHash('sha256').update(JSON.stringify([exception.type, message, distinct])).digest('hex').slice(0, HEX_DIGITS)
}

function placeOf (frame: MappedFrame): string {
  const file = frame.path ?? (frame.file === null ? '' : baseName(framePath(frame.file).path || frame.file))
  return `${file}:${functionName(frame.function) ?? ''}`
}

/** A message with numbers, addresses, ids, quoted values and paths replaced. */
function withoutValues (message: string): string {
  return message
    .replace(/0x[0-9a-f]+/gi, '#')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#')
    .replace(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g, '?')
    .replace(/[\w.~-]*[/\\][\w.~/\\-]+/g, '/')
    .replace(/\d+/g, '#')
}
