import { goLines, rubyLines, rustLines, splitAtSigns } from './one-line-runtimes.ts'
import { startsRow } from '../trace-rows.ts'

const PHP_ROW = / ?(?=#\d{1,4} (?:(?:\/|[A-Za-z]:\\|phar:)[^()#]{1,500}\(\d{1,9}\)|\[internal function\]|\{main\}))/g
const PHP_END = / (?=thrown in \S{1,500} on line \d)/
const PHP_MARK = /(\S) {0,8}Stack trace:\s*$/
const AT_ROW =
  /(?:[ \t]{1,8}|(?<=\)|:\d{1,9}))(?=at (?:(?:async |new ){0,2}[^\s()]{1,300}(?: \[as [^\]\s]{1,100}\])? \([^()\s]{1,500}(?::\d{1,9}:\d{1,9}|anonymous>|native)\)|(?:async )?[^\s()]{1,500}:\d{1,9}:\d{1,9}(?: |$)|[\w.$<>/]{1,300}\([^()\n]{1,200}\)(?: |$)))/g
const FILE_ROW = / {0,8}(File "[^"]{1,1000}", line \d{1,9}, in (?:<\w{1,40}>|[\w.]{1,200})) {1,8}/
const PYTHON_HEADER = 'Traceback (most recent call last):'
const PYTHON_ERROR =
  / (?=(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Warning|Exit|Interrupt|NotFound|Refused)(?::|$))/g
const MIN_ROWS = 2
const MIN_CHARS = 40

function phpLines(line: string): string[] | null {
  const pieces = line.split(PHP_ROW)
  if (pieces[0] === '' || (pieces.length <= MIN_ROWS && !(pieces.length === MIN_ROWS && !line.startsWith('#')))) {
    return null
  }
  const [head = '', ...rows] = pieces
  return [
    ...head.replace(PHP_MARK, '$1\nStack trace:').split('\n'),
    ...rows.slice(0, -1),
    ...(rows.at(-1) ?? '').split(PHP_END),
  ]
}

/** Behind the last row stand its code and the error. */
function endOf(text: string): string[] {
  const [last] = [...` ${text}`.matchAll(PYTHON_ERROR)].slice(0, 50).toReversed()
  if (last === undefined) return [`    ${text}`]
  const code = text.slice(0, Math.max(0, last.index - 1)).trim()
  return [...(code === '' ? [] : [`    ${code}`]), text.slice(last.index).trim()]
}

function pythonLines(line: string): string[] | null {
  const start = line.indexOf(PYTHON_HEADER)
  const pieces = line.slice(start + PYTHON_HEADER.length).split(new RegExp(FILE_ROW, 'g'))
  if (pieces.length < 3) return null
  const lines = [...(start > 0 ? [line.slice(0, start).trimEnd()] : []), PYTHON_HEADER]
  for (let at = 1; at < pieces.length; at += 2) {
    lines.push(`  ${pieces[at] ?? ''}`)
    const code = pieces[at + 1]?.trim() ?? ''
    if (at + 2 < pieces.length || code === '') lines.push(...(code === '' ? [] : [`    ${code}`]))
    else lines.push(...endOf(code))
  }
  return lines
}

/** Rows that begin with `at`, as V8, the JVM and .NET print them. */
function atLines(line: string): string[] | null {
  const pieces = line.split(AT_ROW)
  if (pieces.length <= MIN_ROWS || pieces[0]?.trim() === '') return null
  return pieces.map((piece, index) => (index === 0 ? piece : `    ${piece}`))
}

/** The runtimes whose marks stand in the line, in the order in which they are tried. */
const SPLITTERS: ReadonlyArray<
  readonly [mayHold: (line: string) => boolean, split: (line: string) => string[] | null]
> = [
  [line => line.includes('#0 ') && line.includes('('), phpLines],
  [line => line.includes(PYTHON_HEADER) && line.includes('", line '), pythonLines],
  [line => line.includes(' at '), atLines],
]

/**
 * A trace whose line breaks became spaces, or signs, or nothing, as lines; null when the line holds no two rows of one.
 */
export function splitOneLine(line: string): string[] | null {
  if (line.length < MIN_CHARS) return null
  if (line.includes('goroutine ') && /\.go:\d/.test(line)) return goLines(line)
  if (line.includes('stack backtrace:') && line.includes('0: ')) return rustLines(line)
  if (/:in [`']/.test(line)) {
    const rows = rubyLines(line)
    if (rows !== null) return rows
  }
  const signed = splitAtSigns(line, startsRow)
  if (signed !== null) return signed
  const split = SPLITTERS.find(([mayHold]) => mayHold(line))?.[1]
  return split === undefined ? null : split(line)
}
