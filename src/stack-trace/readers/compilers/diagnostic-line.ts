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
const MAX_PLACE_ENDS = 2048

const SEVERITY =
  /^(fatal error|internal compiler error|error|warning|note|info|information|hint|help|remark|style|performance|portability)(?:\[([\w:/-]{1,60})\])?(?: ([A-Z]{1,6}\d{1,6}))?(?: ?: ?| - |$)(.*)$/i
const CODE = /^([A-Z]{1,5}\d{2,5}):? (?:\[\*\] )?(.*)$/
const COP = /^([CWEFRI]): (?:\[[A-Z][a-z]{1,20}\] )?([A-Z]\w*(?:\/\w+){1,4}): (.*)$/
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

function saidIn(rest: string): Pick<Diagnostic, 'severity' | 'code' | 'message'> | null {
  const cop = COP.exec(rest)
  if (cop !== null) {
    return {
      severity: 'CRWI'.includes(cop[1] ?? '') ? 'warning' : 'error',
      code: cop[2] ?? null,
      message: cop[3] ?? '',
    }
  }
  const severe = SEVERITY.exec(rest)
  const coded = severe === null ? CODE.exec(rest) : null
  const text = (severe?.[4] ?? coded?.[2] ?? rest).replace(PROJECT_AT_END, '')
  const rule = RULE_AT_END.exec(text)
  const code = severe?.[2] ?? severe?.[3] ?? coded?.[1] ?? rule?.[2] ?? null
  return { severity: severe?.[1]?.toLowerCase() ?? severityInRule(text), code, message: rule?.[1] ?? text }
}

const severityOf = (mark: string | undefined): string | null =>
  mark === undefined ? null : mark === 'ERROR' || mark === 'e' ? 'error' : 'warning'

/** A log line may hold `file:12: text`, too: without a severity or a code it takes a source file and a column. */
function isCredible({ file, column, severity, code, message }: Diagnostic): boolean {
  if (BARE_ERRORS.test(message)) return true
  const language = languageOfFile(file)
  if (severity !== null) return language !== null || /[./\\]/.test(file)
  return language !== null && (column !== null || (code !== null && /\d/.test(code)))
}

/** The diagnostic that a line prints, or null when it prints none. */
export function diagnosticOf(line: string): Diagnostic | null {
  if (!/(?:[:([]|: line )\d{1,9}(?:[:,)\] ]|$)/.test(line)) return null
  const severityAhead = /^\[(ERROR|WARNING)\]|^([ew]): /.exec(line)
  const text = line.replace(PREFIX, '').trimEnd()
  for (const pattern of PLACES) {
    const match = pattern.exec(text)
    if (match === null || match.index > MAX_PLACE_ENDS) continue
    const file = fileAt(
      match.index === 0 ? text.slice(0, text.indexOf(`:${match[1] ?? ''}:`)) : text.slice(0, match.index),
    )
    const said = file === null ? null : saidIn(match[3] ?? '')
    if (file === null || said === null) continue
    const severity = said.severity ?? severityOf(severityAhead?.[1] ?? severityAhead?.[2])
    const column = match[2] === undefined ? null : Number(match[2])
    const diagnostic = { raw: text.trim(), file, line: Number(match[1]), column, ...said, severity }
    if (isCredible(diagnostic)) return diagnostic
  }
  return null
}

/** Whether it is less than an error, so that it must not be taken for the failure when there is one. */
export const isMild = ({ severity, code }: Diagnostic): boolean =>
  severity !== null ? MILD.test(severity) : MILD_CODE.test(code ?? '')

/** Whether it only explains the one before it. */
export const isRemark = ({ severity }: Diagnostic): boolean =>
  severity === 'note' || severity === 'help' || severity === 'remark'
