const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const CLOCK = '\\d{1,2}:\\d\\d:\\d\\d(?:[.,:]\\d{1,9})?'
const ZONE = '(?: ?(?:Z|UTC|GMT|[+-]\\d\\d:?\\d\\d))?'
const END = '[\\])]?:?(?:[ \\t]|$)'

const expression = (source: string): RegExp => new RegExp(`^${source}`)

/** Patterns of timestamps, grouped by first character, so that most lines are compared with none of them. */
const DIGIT_STAMPS = [
  `[[(]?\\d{4}[-/.]\\d\\d[-/.]\\d\\d[T _]${CLOCK}${ZONE}${END}`,
  `[[(]?\\d{8}[T ]?\\d{6}(?:[.,]\\d{1,9})?Z?${END}`,
  `[[(]?${CLOCK}(?: [AP]M)?${END}`,
  `[[(]?\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4},? ${CLOCK}(?: [AP]M)?${ZONE}${END}`,
  `[[(]?\\d{1,2}[-/ ]${MONTH}[-/ ]\\d{4}[: ]${CLOCK}(?: [AP]M)?${ZONE}${END}`,
  `\\d\\d-\\d\\d ${CLOCK} {1,6}\\d{1,7} {1,6}\\d{1,7} [VDIWEF] [^:\\n]{1,60}: ?`,
  '\\[ {0,8}\\d{1,7}\\.\\d{3,9}\\](?:[ \\t]|$)',
].map(expression)
const LETTER_STAMPS = [
  `${MONTH} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d [\\w.-]{1,255} ` +
    '(?:[\\w./-]{1,255}\\[\\d{1,9}\\]|[a-z][\\w./-]{0,255}):(?: |$)',
  `\\[?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?${MONTH} {1,2}\\d{1,2},?` +
    `(?: \\d{4},?)? ${CLOCK}(?: [AP]M)?${ZONE}(?: \\d{4})?${END}`,
  `[IWEF]\\d{4} ${CLOCK} {1,8}\\d{1,8} [\\w.-]{1,100}:\\d{1,6}\\] `,
  '(?:[Tt]oday|[Yy]esterday) at \\d{1,2}:\\d\\d(?::\\d\\d)?(?: [AP]M)? ',
  '[VDIWEF]/[\\w.$-]{1,60} {0,20}\\( {0,6}\\d{1,7}\\): ?',
].map(expression)
const EPOCH = /^\[?1\d{9}(?:\.\d{1,9}|\d{3}|\d{6})?\]?[ \t]/

// What writers of logs put behind the time.
const BEHIND = [
  /^(?:stdout|stderr) [FP](?: |$)/, // the runtime interface of containers
  /^\d{2}[OE](?:\+| |$)/, // a CI runner's stream number
  /^[|\u2502](?: |$)/, // a viewer of logs draws a column
  // host, program and process id
  /^(?:[\w.-]{1,255} )?[\w./-]{1,255}\[(?:\d{1,9}|[a-z][a-z0-9_-]{0,40}(?:\.\d{1,5})?)\]: ?/,
  // a web server's
  /^\[(?:[\w-]{0,40}:)?(?:error|warn|notice|info|crit|alert|emerg|debug)\] (?:\[pid \d{1,9}(?::tid \d{1,20})?\] )?(?:\[client [^\]]{1,60}\] )?/,
]

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isUpper = (code: number): boolean => code >= 65 && code <= 90

/** Length of the first of these that a text begins with; 0 when it begins with none. */
function matchLength(patterns: readonly RegExp[], text: string): number {
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match !== null) return match[0].length
  }
  return 0
}

function timeLength(line: string, withEpoch: boolean): number {
  const first = line.charCodeAt(0)
  const code = first === 91 || first === 40 ? line.charCodeAt(1) : first // [ and (
  const head = line.length > 200 ? line.slice(0, 200) : line
  if (isDigit(code) || (first === 91 && code === 32)) {
    const length = matchLength(DIGIT_STAMPS, head)
    return length === 0 && withEpoch ? matchLength([EPOCH], head) : length
  }
  return isUpper(code) || /^(?:today|yesterday) at /.test(head) ? matchLength(LETTER_STAMPS, head) : 0
}

/** Length of the timestamp at the start of a line, with what belongs to it; 0 when there is none. */
export function stampLength(line: string, withEpoch: boolean): number {
  const stamp = timeLength(line, withEpoch)
  if (stamp === 0) return 0
  return stamp + matchLength(BEHIND, line.slice(stamp, stamp + 600))
}

/** Whether seconds since 1970 stand before many lines: one number alone may be the program's own. */
export function hasEpochs(lines: string[]): boolean {
  let seen = 0
  for (const line of lines) {
    const first = line.charCodeAt(line.charCodeAt(0) === 91 ? 1 : 0)
    if (first === 49 && EPOCH.test(line.slice(0, 40)) && ++seen > 1) return true
  }
  return false
}
