import { bothEnds } from '../../core/both-ends.ts'
import type { RawException } from '../failures.ts'

const VALUES =
  /0x[0-9a-f]{2,16}|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]{0,10}Z?|\b(?=[a-f]{0,40}\d)[0-9a-f]{12,64}\b|\b\d{5,20}\b|@[0-9a-f]{5,16}\b/gi

const MAX_FRAMES = 1000 // of more than that, the middle is not shown

/**
 * The same text for failures of which only addresses, times, ids of five or more digits, or the depth of recursion
 * differ.
 */
export function sameFailureKey(exceptions: readonly RawException[]): string {
  const parts: unknown[] = []
  for (const { type, message, relation, frames } of exceptions) {
    parts.push(type, message?.replace(VALUES, '#'), relation, frames.length)
    for (const { raw, file, line, column, function: name, repeat } of bothEnds(frames, MAX_FRAMES)) {
      if (file === null && name === null) parts.push(raw)
      else parts.push(file, line, column, name, repeat > 1)
    }
  }
  return JSON.stringify(parts)
}
