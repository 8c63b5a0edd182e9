import type { CleanText } from '../../layout/clean.ts'
import { languageOfFile } from '../../source-endings.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const POINTED = /^(?:-->|┌─+(?!─)|╭─+\[|,-+\[|╭▸) ?(.+?):(\d{1,9})(?::(\d{1,9}))?\]?$/
const RELATED = /^::: (.+):(\d{1,9}):(\d{1,9})$/
const NUMBERED = /^(?:> ?)?(\d{1,9}) ?[|│] ?(.*)$/
const MARGIN = /^[|│=]/
const SPAN = /^\/ {2,}/ // where a marked range of several lines begins
const HEAD = /^(error|warning|note|help|bug)(?:\[([\w:-]{1,60})\])?: (.*)$/i
const CODE_HEAD = /^([A-Z]{1,5}\d{2,5}) (?:\[\*\] )?(.*)$/
const RULE_HEAD = /^[×x!⚠✖] ([\w@-]{1,40}[(/][\w/-]{1,60}\)?): (.*)$/
const MILD = /^(?:warning|note|help)$/i
const MAX_HEAD_LINES = 8
const MAX_BLOCK_LINES = 60

/** What a line says as the head of a diagnostic, with the lines that its message goes on for; null when it is none. */
function headIn(line: string, more: readonly string[]): Head | null {
  const head = HEAD.exec(line)
  if (head !== null) {
    const [, severity = '', code = severity.toLowerCase(), message = ''] = head
    return { type: code, message: joinMessage([message, ...more]), isMild: MILD.test(severity) }
  }
  const coded = CODE_HEAD.exec(line) ?? RULE_HEAD.exec(line)
  if (coded === null) return null
  const [, code = null, message = ''] = coded
  return { type: code, message: joinMessage([message, ...more]), isMild: /^[!⚠]/.test(line) }
}

function headAbove(text: CleanText, floor: number, at: number): Head {
  const lowest = Math.max(floor, at - MAX_HEAD_LINES)
  for (let above = at - 1; above >= lowest; above--) {
    const line = lineAt(text.lines, above).trim()
    const more = text.lines.slice(above + 1, at).map(one => one.trim())
    const head = headIn(line, more)
    if (head !== null) return head
    if (line === '' && above < at - 1) break
  }
  const above = lineAt(text.lines, at - 1).trim()
  return { type: 'error', message: at > floor && !MARGIN.test(above) ? joinMessage([above]) : null, isMild: false }
}

/** Code with line numbers in a margin; other places that it names are context. */
function readBlock(lines: string[], at: number, place: RawFrame): { related: RawException[]; next: number } {
  const related: RawException[] = []
  let next = at
  for (; next < at + MAX_BLOCK_LINES && next < lines.length; next++) {
    const line = lineAt(lines, next).trim()
    const numbered = NUMBERED.exec(line)
    const other = RELATED.exec(line)
    if (numbered !== null) {
      if (Number(numbered[1]) === place.line && related.length === 0) {
        place.sourceText ??= numbered[2]?.replace(SPAN, '').trim() || null
      }
    } else if (other !== null) {
      const frame = newFrame(line, { file: other[1], line: other[2], column: other[3] })
      related.push({ type: 'note', message: null, relation: 'context', frames: [frame] })
    } else if (!MARGIN.test(line) && !/^\.{3}$/.test(line)) break
  }
  return { related, next }
}

/**
 * Reads diagnostics that print the place below the message and code below the place: rustc, ruff, oxlint and their kin.
 */
export const codeFrames: TraceReader = {
  language: 'text',
  opens: ['\n-->', '\n,-', '\n\u250C'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at).trim()
    const match = POINTED.exec(line)
    if (match?.[1] === undefined || (languageOfFile(match[1]) === null && !/[/\\.]/.test(match[1]))) return null
    const place = newFrame(line, {
      file: match[1],
      line: match[2],
      column: match[3],
    })
    const block = readBlock(text.lines, at + 1, place)
    const head = headAbove(text, floor, at)
    const exception: RawException = {
      type: head.type,
      message: head.message,
      relation: head.isMild ? 'separate' : 'root',
      frames: [place],
    }
    return {
      exceptions: [exception, ...block.related],
      next: block.next,
      language: languageOfFile(match[1]),
    } satisfies Failure
  },
}

interface Head extends ErrorHead {
  isMild: boolean
}
