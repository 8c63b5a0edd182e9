import type { CleanText } from './layout/clean.ts'
import { lineAt } from './lines.ts'
import type { ErrorHead } from './failures.ts'

/** Lines of a message that are kept. */
export const MAX_MESSAGE_LINES = 30
const MAX_MESSAGE_CHARS = 4096
const MAX_LINES_ABOVE = 40
const MAX_SEGMENTS = 8

const LEVEL = '(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)'
// A logger's name, a thread or a place in the code may stand before the level.
const NAMED_ENTRY = new RegExp(
  `^(?:[\\w.$/-]{1,80}|[[({][\\w.:$/ -]{1,80}[\\])}]) {1,4}(?:[-|:] )?(?:[[(<]${LEVEL}[\\])>]|${LEVEL} {0,4}[-|:\\]])`,
)
const OTHER_ENTRY =
  /^(?:info|debug|trace|notice|verbose): |^(?:level|lvl|severity)=\w|^(?:time|ts|timestamp)=["\d]|^(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})? \S{1,40} \S{1,80} \[?[\d"]/
const LOG_ENTRY =
  /^\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b|^\[\d|^\[[\w.-]{1,60}\] (?:TRACE|DEBUG|INFO|WARN|ERROR) |^(?:trce|dbug|info|warn|fail|crit): [A-Z][\w.]{1,200}\[\d{1,9}\]$|^\$ |^>>> |^##\[|^npm |^make[:[]|^Node\.js v\d|^Process finished|^Command exited|^[\w.-]{1,128} exited with code \d{1,3}(?: \(restarting\))?$/

/** Whether a line begins something new in a log, so that no message goes on there. */
export const startsLogEntry = (line: string): boolean =>
  LOG_ENTRY.test(line) || NAMED_ENTRY.test(line) || OTHER_ENTRY.test(line)

/**
 * Whether a line of a log ends with the name of a field whose value, a trace, was written in one line with it:
 * `level=error stack=`.
 */
export const opensField = (line: string): boolean => /\w=$/.test(line)

/** Message lines as one text, without blank ends; null when nothing is left. */
export function joinMessage(lines: string[]): string | null {
  const message = lines
    .map(line => line.trimEnd())
    .join('\n')
    .trim()
    .slice(0, MAX_MESSAGE_CHARS)
    .toWellFormed()
  return message === '' ? null : message
}

const between = (text: CleanText, from: number, to: number, lineOf: (line: string) => string): string[] =>
  text.lines.slice(from, to).map(lineOf)

function paragraphAbove(text: CleanText, first: number, at: number, lineOf: (line: string) => string): string[] {
  const blank = (index: number): boolean => lineOf(lineAt(text.lines, index)).trim() === ''
  let end = at
  while (end > first && blank(end - 1)) end--
  let start = end
  while (start > first && !blank(start - 1) && text.stamped[start] !== 1) start--
  return between(text, start, end, lineOf)
}

/**
 * The error whose frames begin at line `at`, for runtimes that print it above them: the nearest line that names one,
 * with the lines between, or else the nearest paragraph.
 *
 * @param floor - First line that may be looked at.
 * @param headOf - Type and message when a line begins an error.
 * @param lineOf - The line without what a logger wrote in front.
 */
export function messageAbove(
  text: CleanText,
  floor: number,
  at: number,
  headOf: (line: string) => ErrorHead | null,
  lineOf = (line: string) => line,
): ErrorHead {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  for (let above = at - 1; above >= first; above--) {
    const line = lineOf(lineAt(text.lines, above))
    const head = headOf(line.trim())
    if (head !== null) {
      return { type: head.type, message: joinMessage([head.message ?? '', ...between(text, above + 1, at, lineOf)]) }
    }
    if (text.stamped[above] === 1 || startsLogEntry(line.trim())) break
  }
  return { type: null, message: joinMessage(paragraphAbove(text, first, at, lineOf)) }
}

/**
 * An error that stands behind something else in a line of a log: `ERROR Shop - order failed: java.io.IOException: no`;
 * null when there is none.
 *
 * @param isType - Whether a word with a dot is the name of an error in the runtime that wrote the log.
 */
export function errorInside(line: string, isType: (name: string) => boolean): { type: string; message: string } | null {
  const said = line.replace(/:\s*$/, '') // of an error without a message
  let start = 0
  for (let segment = 0; segment < MAX_SEGMENTS && start <= said.length; segment++) {
    const colon = said.indexOf(': ', start)
    const name = (colon === -1 ? said.slice(start) : said.slice(start, colon)).trimEnd()
    const type = name.slice(name.lastIndexOf(' ') + 1)
    if (type.includes('.') && isType(type)) return { type, message: colon === -1 ? '' : said.slice(colon + 2) }
    if (colon === -1) return null
    start = colon + 2
  }
  return null
}
