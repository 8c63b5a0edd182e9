import { languageOfFile } from '../../source-endings.ts'
import type { ErrorHead, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { messageAbove } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

/**
 * How notifiers of error trackers write a row into a ticket, the innermost first; groups `file`, `line`, `function`.
 */
const ROWS: readonly RegExp[] = [
  /^line (?<line>\d{1,9}) of (?<file>\S.{0,500}?\.\w{1,8}(?:\.\w{1,8})?): (?<function>.{1,300})$/,
  /^(?<file>[^\s:()]{1,500}\.\w{1,8}):(?<line>\d{1,9}) - (?<function>(?:(?:block|rescue|ensure)(?: \(\d{1,3} levels\))? in )?[\w.:#<>$!?=[\]]{1,200})$/,
  /^File "(?<file>[^"]{1,500})" line (?<line>\d{1,9}) in (?<function>.{1,300})$/,
]
const BETWEEN = /^(?:\d{1,4}|\.\.\. \d{1,6} non-project frames?)?$/
const LABEL = /^(?:#{1,6} )?(?:Stack ?trace|Backtrace)s?:?$/i
const TYPED = /^((?:\w{1,80}(?:\.|::|\\)){0,12}[A-Z]\w{0,120})(?:: (.*)|:)$/
const BOLD_TYPE = /^\*\*([\w:.\\]{1,200})\*\* in \S/
const MAX_BETWEEN = 3

/** `Type: message`, `**Type** in **action**` or the type alone. */
function errorOf(line: string): ErrorHead | null {
  const match = TYPED.exec(line)
  if (match !== null) return { type: match[1] ?? null, message: match[2] ?? '' }
  const bold = BOLD_TYPE.exec(line)?.[1]
  return bold === undefined ? null : { type: bold, message: '' }
}

function rowOf(line: string): RawFrame | null {
  if (!/ (?:of|-|line) /.test(line)) return null
  const raw = line.trim()
  for (const pattern of ROWS) {
    const groups = pattern.exec(raw)?.groups
    if (groups !== undefined && (raw.startsWith('File ') || languageOfFile(groups.file ?? '') !== null)) {
      return newFrame(raw, {
        file: groups.file?.replace(/^\[[\w/-]{1,40}\]\//, ''),
        line: groups.line,
        function: groups.function?.trim(),
      })
    }
  }
  return null
}

/** Reads the lists of calls that error trackers put into the tickets they open. */
export const trackers: TraceReader = {
  language: 'text',
  opens: ['\nline ', '0 - ', '\nFile "'],
  read(text, at, floor) {
    const first = rowOf(lineAt(text.lines, at))
    if (first === null) return null
    const frames: RawFrame[] = [first]
    let next = at + 1
    for (let skipped = 0; next + skipped < text.lines.length && skipped <= MAX_BETWEEN;) {
      const line = lineAt(text.lines, next + skipped)
      const row = rowOf(line)
      if (row === null && !BETWEEN.test(line.trim())) break
      if (row === null) skipped++
      else {
        frames.push(row)
        next += skipped + 1
        skipped = 0
      }
    }
    let head = at
    while (
      head > floor &&
      (BETWEEN.test(lineAt(text.lines, head - 1).trim()) || LABEL.test(lineAt(text.lines, head - 1).trim()))
    ) {
      head--
    }
    const error = messageAbove(text, floor, head, errorOf)
    return {
      exceptions: [{ ...error, relation: 'root', frames: frames.reverse() }],
      next,
      language:
        frames.map(({ file }) => languageOfFile(file ?? '')).find(found => found !== null && found !== 'markup') ??
        null,
    }
  },
}
