import type { CleanText } from '../../layout/clean.ts'
import { joinMessage, newFrame } from '../../trace-reader.ts'
import type { Failure, TraceReader } from '../../trace-reader.ts'
import { lineAt } from '../../lines.ts'

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

function readDiagnostic(
  { lines }: CleanText,
  at: number,
  floor: number,
  [raw, file, line, block]: RegExpExecArray,
): Failure {
  const title = titleAbove(lines, floor, at)
  const code = CODE.exec(withoutBar(lineAt(lines, at + 1)))
  const isCode = code !== null && Number(code[1]) === Number(line)
  const detail: string[] = []
  let next = isCode ? at + 2 : at + 1
  let blank = false
  for (; next < at + MAX_LINES_BELOW && next < lines.length; next++) {
    const said = withoutBar(lineAt(lines, next))
    if (TITLE.test(said) || /^[╷╵]/.test(lineAt(lines, next).trim()) || PLACE.test(said)) break
    if (said === '' && detail.length > 0 && !lines[next]?.includes('│')) break
    if (said === '') blank = true
    else if (blank && !DETAIL_MARK.test(said)) detail.push(said)
  }
  const frame = newFrame(raw, {
    file,
    line,
    function: block,
    sourceText: isCode ? code[2]?.trim() || null : null,
  })
  return {
    exceptions: [
      {
        type: title?.[1] ?? 'Error',
        message: joinMessage([title?.[2] ?? '', ...detail]),
        relation: title?.[1] === 'Warning' ? 'separate' : 'root',
        frames: [frame],
      },
    ],
    next,
  }
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
