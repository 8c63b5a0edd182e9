import type { ExceptionRelation } from '../../../core/frame.ts'
import { lineAt } from '../../lines.ts'

const TYPE = /^[A-Za-z_][\w.<>]*$/
const ERROR_TYPE = /(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Group)$/

const LINKS: ReadonlyArray<[start: string, end: string, relation: ExceptionRelation]> = [
  ['The above exception', 'was the direct cause of the following exception:', 'cause'],
  ['During handling of the above exception', 'another exception occurred:', 'context'],
]

/**
 * What the phrase between two tracebacks makes of the first; null when the line is no such phrase. Django names the
 * error in it.
 */
export function linkAt(lines: string[], at: number): ExceptionRelation | null {
  const line = lineAt(lines, at).trim()
  if (!line.endsWith(':')) return null
  return LINKS.find(([start, end]) => line.startsWith(start) && line.endsWith(end))?.[2] ?? null
}

/** `Type: message` taken apart; null when the line does not begin with a name. */
export function splitError(line: string): { type: string; message: string } | null {
  const colon = line.indexOf(':')
  const type = colon === -1 ? line : line.slice(0, colon)
  if (!TYPE.test(type)) return null
  return { type, message: colon === -1 ? '' : line.slice(colon + 1) }
}

/** Whether a line begins with a name that is surely an error's. */
export function isErrorLine(line: string): boolean {
  const error = splitError(line)
  return error !== null && ERROR_TYPE.test(error.type)
}
