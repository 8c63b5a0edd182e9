import { languageOfFile } from '../../source-endings.ts'
import type { Failure, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const FILE_LINE = /^(?:\/|\.{0,2}\/|[A-Za-z]:[\\/])?[\w@.+~][^:*?"<>|]{0,1000}\.\w{1,10}$/
const ROW = /^\s{1,12}(\d{1,9}):(\d{1,9})\s{1,20}(\S.*)$/
const SEVERITY = /^(error|warning|✖|×|⚠|‼)\s{1,20}(.*)$/
const MILD = new Set(['warning', '⚠', '‼'])
const TABLE_HEAD = /^\s{0,4}Line\s{1,10}(\S+)$/
const TABLE_ROW = /^\s{1,10}:?(\d{1,9})\s{1,10}(\S.*)$/
const TABLE_RULE = /^\s{0,4}--[\s-]*$/
const MAX_ROWS = 100_000

function one({
  frame,
  type,
  message,
  isError,
  next,
}: {
  frame: RawFrame
  type: string
  message: string
  isError: boolean
  next: number
}): Failure {
  return {
    exceptions: [{ type, message: joinMessage([message]), relation: isError ? 'root' : 'separate', frames: [frame] }],
    next,
    language: languageOfFile(frame.file ?? ''),
  }
}

/** `  12:5  error  message  rule` of a file, or null when the line is something else. */
function readRow(file: string, line: string, next: number): Failure | null {
  const [, number, column, rest = ''] = ROW.exec(line) ?? []
  const [, severity, said] = SEVERITY.exec(rest) ?? []
  if (severity === undefined || said === undefined) return null
  const cells = said.split(/ {2,}/)
  const rule = cells.length > 1 ? cells.pop() : undefined
  const isError = !MILD.has(severity)
  const frame = newFrame(`${file} ${line.trim()}`, { file, line: number, column })
  const unnamed = isError ? 'error' : 'warning'
  return one({ frame, type: rule ?? unnamed, message: cells.join('  '), isError, next })
}

function readRows(lines: string[], at: number): Failure[] | null {
  const file = lineAt(lines, at).trimEnd()
  const failures: Failure[] = []
  for (let next = at + 1; next < lines.length && next < at + MAX_ROWS; next++) {
    const failure = readRow(file, lineAt(lines, next), next + 1)
    if (failure === null) break
    failures.push(failure)
  }
  return failures.length === 0 ? null : failures
}

function appendTo(failure: Failure, text: string, next: number): void {
  const [exception] = failure.exceptions
  failure.next = next
  if (exception === undefined) return
  if (/^🪪 /.test(text)) exception.type = text.slice(2).trim()
  else exception.message = joinMessage([exception.message ?? '', text])
}

/** PHPStan draws a table for each file; a message goes on in rows without a number. */
function readTable(lines: string[], at: number): Failure[] | null {
  const file = TABLE_HEAD.exec(lineAt(lines, at))?.[1]
  if (file === undefined || !TABLE_RULE.test(lineAt(lines, at + 1))) return null
  const failures: Failure[] = []
  for (let next = at + 2; next < lines.length; next++) {
    const line = lineAt(lines, next)
    const row = TABLE_ROW.exec(line)
    const last = failures.at(-1)
    if (TABLE_RULE.test(line) || (row === null && (last === undefined || line.trim() === ''))) break
    if (row !== null) {
      const frame = newFrame(`${file} ${line.trim()}`, { file, line: row[1] })
      failures.push(one({ frame, type: 'error', message: row[2] ?? '', isError: true, next: next + 1 }))
    } else if (last !== undefined) appendTo(last, line.trim(), next + 1)
  }
  return failures.length === 0 ? null : failures
}

/** Reads reports that name a file once and list its places below: eslint and stylelint, PHPStan. */
export const listedDiagnostics: TraceReader = {
  language: 'text',
  opens: ['\nLine', '.'],
  read({ lines }, at) {
    const line = lineAt(lines, at)
    if (line.includes('Line ')) return readTable(lines, at)
    return line.includes('.') &&
      !line.startsWith(' ') &&
      ROW.test(lineAt(lines, at + 1)) &&
      FILE_LINE.test(line.trimEnd())
      ? readRows(lines, at)
      : null
  },
}
