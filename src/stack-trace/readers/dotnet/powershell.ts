import type { CleanText } from '../../layout/clean.ts'
import type { Failure, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const PLACE = /^At (\S.{0,500}?):(\d{1,9}) char:(\d{1,9})$/
const CODE = /^[+-] (.*)$/
const MARKS = /^[+-]?\s*~[~ ]*$/
const CATEGORY = /^[+-] CategoryInfo\s*: [^:]{1,80}: (?:.* )?\[[^\]]*\], (?:[\w.]+\.)?(\w{1,200})$/
const DETAIL = /^[+-] (?:CategoryInfo|FullyQualifiedErrorId|PSComputerName)\s*:/
const COMMAND = /^([A-Za-z][\w-]{0,60}|\S{1,300}\.(?:ps1|psm1|exe)) : (.*)$/
const CONCISE = /^(?:([A-Za-z][\w-]{0,60}): )?(\S.{0,500}\.(?:ps1|psm1|psd1)):?(\d{1,9})?$/
const CONCISE_CODE = /^\s{0,12}(\d{1,9}) \|\s(.*)$/
const CONCISE_SAID = /^\s{0,12}\|\s{1,400}(?:[~^]{1,400} ?)?(.*)$/
const STACK_ROW = /^at (<?[^,<>]{1,300}>?), (\S.{0,500}?|<No file>): line (\d{1,9})$/
const MAX_LINES_ABOVE = 8
const MAX_LINES_BELOW = 12

// A place that is no file: what was typed.
const fileOf = (file: string | undefined): string | null => (file === undefined || file === 'line' ? null : file)

const withoutCut = (code: string): string | null => code.replace(/^\.\.\. | \.\.\.$/g, '').trim() || null

function messageAbove(lines: string[], stamped: Uint8Array, floor: number, at: number): string[] {
  const said: string[] = []
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_ABOVE); above--) {
    const line = lineAt(lines, above).trim()
    if (line === '' || /^-{4,}$/.test(line)) break
    const command = COMMAND.exec(line)
    said.unshift(command?.[2] ?? line)
    if (command !== null || stamped[above] === 1) break
    if (/^(?:[A-Z][^.:]{0,200}: |An? |The |Cannot |Exception )/.test(line)) break
  }
  return said
}

interface LongForm {
  type: string | null
  /** The message of an error of the parser, which stands below the code. */
  message: string[]
  code: string | null
}

/** Takes a line below the place into the error: its category, its code, or what it says. */
function readBelow(error: LongForm, said: string): void {
  error.type = CATEGORY.exec(said)?.[1] ?? error.type
  if (DETAIL.test(said) || MARKS.test(said)) return
  const code = CODE.exec(said)?.[1]
  if (code !== undefined) error.code ??= withoutCut(code)
  else if (error.type === null) error.message.push(said)
}

function readLong(
  { lines, stamped }: CleanText,
  at: number,
  floor: number,
  [raw, file, line, column]: RegExpExecArray,
): Failure {
  const error: LongForm = { type: null, message: [], code: null }
  let next = at + 1
  for (; next < at + MAX_LINES_BELOW && next < lines.length; next++) {
    const said = lineAt(lines, next).trim()
    if (said === '' || PLACE.test(said) || stamped[next] === 1) break
    readBelow(error, said)
  }
  const frame = newFrame(raw, { file: fileOf(file), line, column, sourceText: error.code })
  // A script that cannot be read is reported below its code, several times over.
  const message = error.message.length > 0 ? error.message : messageAbove(lines, stamped, floor, at)
  return {
    exceptions: [{ type: error.type ?? 'error', message: joinMessage(message), relation: 'root', frames: [frame] }],
    next,
  }
}

/** `Write-Error: C:\a.ps1:12`, `Line |`, the code with its number, and the message behind the marks. */
function readConcise({ lines }: CleanText, at: number): Failure | null {
  const raw = lineAt(lines, at).trim()
  const head = CONCISE.exec(raw)
  const code = CONCISE_CODE.exec(lineAt(lines, at + 2))
  if (head === null || code === null) return null
  const message: string[] = []
  let next = at + 3
  for (; next < at + 3 + MAX_LINES_BELOW; next++) {
    const said = CONCISE_SAID.exec(lineAt(lines, next))
    if (said === null && (message.length > 0 || next > at + 5)) break // the code may go on below
    if (said?.[1] !== undefined && said[1].trim() !== '') message.push(said[1].trim())
  }
  const frame = newFrame(raw, { file: head[2], line: code[1], sourceText: code[2]?.trim() || null })
  return {
    exceptions: [{ type: head[1] ?? 'error', message: joinMessage(message), relation: 'root', frames: [frame] }],
    next,
  }
}

/** `at Open-Till, C:\till.ps1: line 12`, innermost first. */
function readStack(text: CleanText, at: number, floor: number): Failure | null {
  const frames: RawFrame[] = []
  let next = at
  for (; next < text.lines.length; next++) {
    const raw = lineAt(text.lines, next).trim()
    const match = STACK_ROW.exec(raw)
    if (match === null) break
    const [, called, file, line] = match
    const name = called === '<ScriptBlock>' ? null : called?.replace(/<(?:Begin|Process|End)>$/, '')
    frames.push(newFrame(raw, { file: file === '<No file>' ? null : file, line, function: name }))
  }
  if (frames.length === 0) return null
  const message = at > floor ? joinMessage(messageAbove(text.lines, text.stamped, floor, at)) : null
  return { exceptions: [{ type: 'error', message, relation: 'root', frames: frames.reverse() }], next }
}

/** Reads PowerShell's errors, the long form and the concise one, and its script stack traces. */
export const powershell: TraceReader = {
  language: 'powershell',
  opens: ['\nAt ', '\nat ', '.ps'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at).trim()
    if (line.startsWith('At ')) {
      const match = PLACE.exec(line)
      return match === null ? null : readLong(text, at, floor, match)
    }
    if (line.startsWith('at ') && line.includes(': line ')) return readStack(text, at, floor)
    return text.lines[at + 1]?.trim() === 'Line |' ? readConcise(text, at) : null
  },
}
