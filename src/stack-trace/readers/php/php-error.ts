import type { CleanText } from '../../layout/clean.ts'
import { phpPlace, withoutPhpMark } from './php-frame.ts'
import type { ErrorHead, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'

/** An error as PHP or one of its loggers prints it. */
export interface PhpError extends ErrorHead {
  /** Where it was thrown; null when the text does not say. */
  place: RawFrame | null
}

const CLASS = '[A-Za-z_\\\\][\\w\\\\@]*'
const STRONG = [
  new RegExp(`\\bUncaught (?:PHP )?(?:exception |Exception )?'?(${CLASS})(?:' with message '|: )(.*)$`, 'i'),
  new RegExp(`\\bexception '(${CLASS})' with message '(.*)$`),
  new RegExp(`\\[object\\] \\((${CLASS})\\(code: [^)]{0,40}\\): (.*)$`),
  new RegExp(`^Next (?:exception ')?(${CLASS})(?:' with message '|: )(.*)$`),
]
const WEAK = new RegExp(`^(${CLASS}): (.*)$`)
const REPORT =
  /^(?:PHP )?((?:Recoverable |Catchable )?[Ff]atal error|Parse error|(?:User |Core |Compile )?[Ww]arning|(?:User )?[Nn]otice|(?:User )?[Dd]eprecated|(?:User |Core |Compile )[Ee]rror|Strict Standards): {1,2}(.*)$/
const PLACES: ReadonlyArray<[word: string, end: RegExp]> = [
  [' in ', /(?: on line |:)(\d{1,9})$/],
  [' at ', /:(\d{1,9})\)$/],
  [' at ', / line (\d{1,9})$/],
]
const MAX_LINES_ABOVE = 30

function nearest(text: CleanText, lowest: number, end: number, isHead: (line: string) => boolean): number | null {
  for (let above = end - 1; above >= lowest; above--) {
    if (isHead(withoutPhpMark(lineAt(text.lines, above)))) return above
    if (text.stamped[above] === 1) return null
  }
  return null
}

function splitPlace(text: string): { said: string; place: RawFrame | null } {
  for (const [word, pattern] of PLACES) {
    const end = pattern.exec(text)
    // the last of several: a message may hold the word, too
    const start = end === null ? -1 : text.lastIndexOf(word, end.index)
    const file = end === null || start === -1 ? '' : text.slice(start + word.length, end.index)
    if (end === null || !/[\\/.]/.test(file) || file.includes('\n')) continue
    const raw = text.slice(start, text.length).trim().replace(/\)$/, '')
    return { said: text.slice(0, start), place: newFrame(raw, phpPlace(file, end[1])) }
  }
  return { said: text, place: null }
}

/** The type and the message in a line: those of an uncaught exception before those of the report around it. */
function headOf(line: string): RegExpExecArray | null {
  const report = REPORT.exec(line)
  if (report !== null && !line.includes('Uncaught')) return report
  return [...STRONG, WEAK].map(pattern => pattern.exec(line)).find(match => match !== null) ?? report
}

/**
 * The error that these lines report: `Type: message in file:line` in any of the forms that PHP and its loggers print.
 */
export function phpError(lines: string[]): PhpError {
  const { said, place } = splitPlace(joinMessage(lines) ?? '')
  const [first = '', ...more] = said.split('\n')
  const head = headOf(first)
  if (head === null) return { type: null, message: joinMessage([first, ...more]), place }
  const [all, type = '', text = ''] = head
  let message = joinMessage([text, ...more])
  if (all.includes('[object] (')) message = message?.replace(/\\([\\"/])/g, '$1') ?? null // a string in JSON
  if (all.includes("with message '")) message = message?.replace(/'$/, '') ?? null
  return { type: type.replace(/\\\\/g, '\\').replace(/@anonymous.*/, '@anonymous'), message, place }
}

/**
 * The error whose trace begins at line `at`: the text above, from the line that names a class to the one that ends with
 * a place.
 *
 * @param isTable - Xdebug prints the error twice above its table; the second time is enough.
 */
export function phpErrorAbove(text: CleanText, floor: number, at: number, isTable = false): PhpError {
  let end = at
  while (end > floor && withoutPhpMark(lineAt(text.lines, end - 1)) === '') end--
  const lowest = Math.max(floor, end - MAX_LINES_ABOVE)
  const named = isTable ? null : nearest(text, lowest, end, line => STRONG.some(pattern => pattern.test(line)))
  const start =
    named ?? nearest(text, lowest, end, line => WEAK.test(line) || REPORT.test(line)) ?? Math.max(lowest, end - 1)
  return phpError(text.lines.slice(start, end).map(withoutPhpMark))
}

/** Whether a line begins a report of PHP's own. */
export const isReport = (line: string): boolean => REPORT.test(withoutPhpMark(line))

/** `Warning: message in file on line n`: what PHP reports without a trace. */
export function reportLine(line: string): PhpError | null {
  const report = withoutPhpMark(line)
  if (!/\d\)?\s*$/.test(report.slice(-200)) || !REPORT.test(report)) return null
  const error = phpError([report])
  return error.place === null ? null : error
}
