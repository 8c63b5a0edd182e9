import { newFrame } from '../../frames.ts'
import { indentOf, lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const WARNING =
  /^\s{0,8}(\S.{0,1000}?\.(?:py|pyx|pyi|ipynb|tmp\/\d+\.py)|<\S{1,200}>):(\d{1,9}): ((?:[A-Za-z_]\w{0,100}\.){0,10}[A-Z]\w{0,100}Warning): (.*)$/

/** `shop.py:3: UserWarning: message` and the line of code below it. After an error a warning stands beside it. */
export const pythonWarnings: TraceReader = {
  language: 'python',
  opens: ['Warning:'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    const match = line.includes('Warning: ') ? WARNING.exec(line) : null
    if (match === null) return null
    const below = lineAt(text.lines, at + 1)
    const source = indentOf(below) === indentOf(line) + 2 && text.stamped[at + 1] !== 1 ? below.trim() : null
    const frame = newFrame(line.trim(), { file: match[1], line: match[2], sourceText: source })
    return {
      exceptions: [
        {
          type: match[3] ?? null,
          message: joinMessage([match[4] ?? '']),
          relation: floor === 0 ? 'root' : 'separate',
          frames: [frame],
        },
      ],
      next: at + (source === null ? 1 : 2),
    }
  },
}
