import { languageOfFile } from '../../source-endings.ts'
import type { RawException } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const NAMED = /^in test (\S.{0,300}?)(?: at (\S{1,500}?)(?::(\d{1,9}))?)?:$/
const TYPED = /^((?:\w{1,80}(?:\.|::|\\|\$)){0,12}[A-Za-z]\w{0,120}): ?(.*)$/
const TYPE_LIKE = /[.:\\]|^[A-Z]|(?:Error|Exception|Failure|Failed)$/

/**
 * Reads what became of a failure in a report whose test runner gave no stack: its test, its place where the report
 * names one, and what it said.
 */
export const namedTests: TraceReader = {
  language: 'text',
  opens: ['\nin test '],
  read({ lines }, at) {
    const line = lineAt(lines, at)
    const match = line.startsWith('in test ') ? NAMED.exec(line) : null
    if (match === null) return null
    let next = at + 1
    while (next < lines.length && next < at + MAX_MESSAGE_LINES && !isBlankAt(lines, next)) next++
    const [first = '', ...more] = lines.slice(at + 1, next)
    const [, type = '', said = ''] = TYPED.exec(first) ?? []
    const isTyped = TYPE_LIKE.test(type)
    const [, name, file = null, number] = match
    const exception: RawException = {
      type: isTyped ? type : null,
      message: joinMessage([isTyped ? said : first, ...more]),
      relation: 'root',
      frames: [newFrame(line.slice(0, -1), { file, line: number, function: name })],
    }
    return { exceptions: [exception], next, language: languageOfFile(file ?? '') }
  },
}
