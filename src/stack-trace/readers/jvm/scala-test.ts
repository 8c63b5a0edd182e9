import { jvmFrame } from './jvm-frame.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const MARGIN = /^\[(?:info|error)\] ?/
const FAILED = / \*\*\* FAILED \*\*\*|^\s*[x!] \S/
const SAID = /^\s{1,20}(\S.*) \(([\w$.-]{1,200}\.(?:scala|sc)):(\d{1,9})\)$/
const MAX_LINES_TO_TEST = 12

/**
 * Reads failed assertions of ScalaTest and specs2, which print the place in brackets behind the message and no stack.
 */
export const scalaTest: TraceReader = {
  language: 'scala',
  opens: ['.scala:', '.sc:'],
  read({ lines }, at, floor) {
    const line = lineAt(lines, at)
    const match = line.includes('.scala:') || line.includes('.sc:') ? SAID.exec(line.replace(MARGIN, ' ')) : null
    if (match === null || jvmFrame(line) !== null || jvmFrame(lineAt(lines, at + 1).replace(MARGIN, '')) !== null) {
      return null
    }
    const message = [match[1] ?? '']
    for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_TO_TEST); above--) {
      const one = lineAt(lines, above).replace(MARGIN, '')
      if (FAILED.test(one)) {
        const frame = newFrame(line.trim(), { file: match[2], line: match[3] })
        return {
          exceptions: [{ type: null, message: joinMessage(message), relation: 'root', frames: [frame] }],
          next: at + 1,
        }
      }
      if (!/^\s{2,}\S/.test(one)) return null
      message.unshift(one.trim())
    }
    return null
  },
}
