import type { CleanText } from '../../layout/clean.ts'
import type { Failure, RawException } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const PLACE =
  /^on (\S.{0,500}?\.(?:tf|tofu|hcl|tfvars|tftest\.hcl|pkr\.hcl|nomad)(?:\.json)?) line (\d{1,9})(?:, in (.{1,300}?))?:?$/
const TITLE = /^(Error|Warning): (.*)$/
const CODE = /^(\d{1,9}): {0,2}(.*)$/
const DETAIL_MARK = /^(?:├─|│ |\|-|\| )/
const MAX_LINES_ABOVE = 12
const MAX_LINES_BELOW = 40

const withoutBar = (line: string): string =>
  line
    .trim()
    .replace(/^[│|] ?/, '')
    .trim()

function titleAbove(lines: string[], floor: number, at: number): RegExpExecArray | null {
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_ABOVE); above--) {
    const title = TITLE.exec(withoutBar(lineAt(lines, above)).replace(/^`/, ''))
    if (title !== null) return title
  }
  return null
}

/** The lines that explain a diagnostic, behind a blank one; and the first line after it. */
function detailBelow(lines: string[], begin: number, end: number): { detail: string[]; next: number } {
  const detail: string[] = []
  let next = begin
  let blank = false
  for (; next < end && next < lines.length; next++) {
    const said = withoutBar(lineAt(lines, next))
    if (TITLE.test(said) || /^[╷╵]/.test(lineAt(lines, next).trim()) || PLACE.test(said)) break
    if (said === '' && detail.length > 0 && !lines[next]?.includes('│')) break
    if (said === '') blank = true
    else if (blank && !DETAIL_MARK.test(said)) detail.push(said)
  }
  return { detail, next }
}

function readDiagnostic(
  { lines }: CleanText,
  at: number,
  floor: number,
  [raw, file, line, block]: RegExpExecArray,
): Failure {
  const [, type = 'Error', title = ''] = titleAbove(lines, floor, at) ?? []
  const [, number, code] = CODE.exec(withoutBar(lineAt(lines, at + 1))) ?? []
  const isCode = number !== undefined && Number(number) === Number(line)
  const { detail, next } = detailBelow(lines, isCode ? at + 2 : at + 1, at + MAX_LINES_BELOW)
  const sourceText = isCode ? code?.trim() || null : null
  const exception: RawException = {
    type,
    message: joinMessage([title, ...detail]),
    relation: type === 'Warning' ? 'separate' : 'root',
    frames: [newFrame(raw, { file, line, function: block, sourceText })],
  }
  return { exceptions: [exception], next }
}

/**
 * Reads the diagnostics of Terraform and other tools of HCL, with or without the bar that a terminal draws beside them.
 */
export const terraform: TraceReader = {
  language: 'hcl',
  opens: [' line 0'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    const match = line.includes('on ') && line.includes(' line ') ? PLACE.exec(withoutBar(line)) : null
    return match === null ? null : readDiagnostic(text, at, floor, match)
  },
}
