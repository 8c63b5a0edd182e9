import { pathAtEnd } from '../../path-text.ts'
import { languageOfFile } from '../../source-endings.ts'

/** What a compiler or linter says about one place. */
export interface Diagnostic {
  raw: string
  file: string
  line: number | null
  column: number | null
  /** As printed, in lower case: `error`, `warning`, `note` …; null when the tool prints none. */
  severity: string | null
  code: string | null
  message: string
}

/** Where the place ends in a line, in any of the spellings; group 1 line, 2 column, 3 what follows. */
const PLACES = [
  /: \((\d{1,9}), (\d{1,9})\): (.*)$/, // kotlinc of old
  /\((\d{1,9})(?:[,:] ?(\d{1,9}))?(?:,\d{1,9},\d{1,9})?\) ?: (.*)$/, // tsc, msbuild
  /:(\d{1,9}):(\d{1,9}) - (.*)$/, // tsc on a terminal
  /: line (\d{1,9}), col (\d{1,9}), (.*)$/, // eslint compact
  /:\[(\d{1,9}),(\d{1,9})\] (.*)$/, // maven
  /:(\d{1,9})(?::(\d{1,9}))?(?:-\d{1,9}(?::\d{1,9})?)?: (.*)$/, // gcc and most others
  /:(\d{1,9}):(\d{1,9}) ((?:lint|parse|assist|format)(?:\/\S*)? .*)$/, // biome
  /^file:\/\/.*:(\d{1,9}):(\d{1,9}) (.*)$/, // kotlinc
]
const HOLDS_PLACE = /(?:[:([]|: line )\d{1,9}(?:[:,)\] ]|$)/
const MAX_PLACE_ENDS = 2048

const SEVERITY =
  /^(fatal error|internal compiler error|error|warning|note|info|information|hint|help|remark|style|performance|portability)(?:\[([\w:/-]{1,60})\])?(?: ([A-Z]{1,6}\d{1,6}))?(?: ?: ?| - |$)(.*)$/i
const CODE = /^([A-Z]{1,5}\d{2,5}):? (?:\[\*\] )?(.*)$/
const COP = /^([CWEFRI]): (?:\[[A-Z][a-z]{1,20}\] )?([A-Z]\w*(?:\/\w+){1,4}): (.*)$/
const MILD_COPS = 'CRWI'
const SEVERITY_AHEAD = /^\[(ERROR|WARNING)\]|^([ew]): /
const RULE_AT_END = /^(.*\S) {1,2}[([](?:(?:[Ee]rror|[Ww]arning)\/)?(-?[\w@][\w@/.:=-]{1,80})[)\]]$/
const PROJECT_AT_END = / \[[^\][]{1,400}proj(?:::[^\]]{0,100})?\]$/
const BARE_ERRORS = /^(?:undefined reference to |multiple definition of |syntax error)/
const PREFIX =
  /^(?:\s{0,12}\d{1,4}>|\[(?:ERROR|WARNING|error|warn)\] |(?:[ew]|vet): |\S{0,200}\bld(?:\.\w{1,10})?: |psql:)/
const MILD = /^(?:warning|note|info|information|hint|help|remark|style|performance|portability)$/
const MILD_CODE = /^(?:[WCRNDI]\d|[CRWI]$)/

function fileAt(before: string): string | null {
  const file = pathAtEnd(before.replace(/^[ew]: /, ''))
    .replace(/^file:\/\//, '')
    .replace(/["'`]$/, '')
  return file === '' || /^[\d.:]+$/.test(file) || file.length > 1024 ? null : file
}

const severityInRule = (text: string): string | null =>
  /[([](error|warning)\/[^)\]]{1,80}[)\]]$/i.exec(text)?.[1]?.toLowerCase() ?? null

type Said = Pick<Diagnostic, 'severity' | 'code' | 'message'>

/** What stands behind a place, taken apart from its beginning: `error[E0308]: text`, `TS2304: text`, or text alone. */
function splitHead(rest: string): { severity: string | null; code: string | null; text: string } {
  const severe = SEVERITY.exec(rest)
  if (severe !== null) {
    const [, severity = '', bracketed, code = null, text = ''] = severe
    return { severity: severity.toLowerCase(), code: bracketed ?? code, text }
  }
  const [, code = null, text = rest] = CODE.exec(rest) ?? []
  return { severity: null, code, text }
}

function saidIn(rest: string): Said {
  const cop = COP.exec(rest)
  if (cop !== null) {
    const [, severity = '', code = null, message = ''] = cop
    return { severity: MILD_COPS.includes(severity) ? 'warning' : 'error', code, message }
  }
  const head = splitHead(rest)
  const text = head.text.replace(PROJECT_AT_END, '')
  const [, message = text, rule = null] = RULE_AT_END.exec(text) ?? []
  return { severity: head.severity ?? severityInRule(text), code: head.code ?? rule, message }
}

/** The severity that stands in front of the place, as Maven and Gradle print it. */
function severityAhead(line: string): string | null {
  const [, word, letter] = SEVERITY_AHEAD.exec(line) ?? []
  const mark = word ?? letter
  if (mark === undefined) return null
  return mark === 'ERROR' || mark === 'e' ? 'error' : 'warning'
}

/** A log line may hold `file:12: text`, too: without a severity or a code it takes a source file and a column. */
function isCredible({ file, column, severity, code, message }: Diagnostic): boolean {
  if (BARE_ERRORS.test(message)) return true
  const language = languageOfFile(file)
  if (severity !== null) return language !== null || /[./\\]/.test(file)
  return language !== null && (column !== null || (code !== null && /\d/.test(code)))
}

/** The diagnostic that a text prints in one of the spellings of a place, or null when it prints none in this one. */
function diagnosticBy(place: RegExp, text: string): Diagnostic | null {
  const match = place.exec(text)
  if (match === null || match.index > MAX_PLACE_ENDS) return null
  const [, line = '', column, rest = ''] = match
  const file = fileAt(text.slice(0, match.index === 0 ? text.indexOf(`:${line}:`) : match.index))
  if (file === null) return null
  const numbers = { line: Number(line), column: column === undefined ? null : Number(column) }
  return { raw: text.trim(), file, ...numbers, ...saidIn(rest) }
}

/** The diagnostic that a line prints, or null when it prints none. */
export function diagnosticOf(line: string): Diagnostic | null {
  if (!HOLDS_PLACE.test(line)) return null
  const text = line.replace(PREFIX, '').trimEnd()
  for (const place of PLACES) {
    const diagnostic = diagnosticBy(place, text)
    if (diagnostic === null) continue
    diagnostic.severity ??= severityAhead(line)
    if (isCredible(diagnostic)) return diagnostic
  }
  return null
}

/** Whether it is less than an error, so that it must not be taken for the failure when there is one. */
export function isMild({ severity, code }: Diagnostic): boolean {
  if (severity !== null) return MILD.test(severity)
  return code !== null && MILD_CODE.test(code)
}

/** Whether it only explains the one before it. */
export const isRemark = ({ severity }: Diagnostic): boolean =>
  severity === 'note' || severity === 'help' || severity === 'remark'
