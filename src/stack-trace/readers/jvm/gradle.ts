import { languageOfFile } from '../../source-endings.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const WHERE = /^(?:[\w-]{1,40} )?(?:[Ff]ile|[Ss]cript) '(.{1,500})' line: (\d{1,9})$/
const HEADING = /^[*-] (?:What went wrong|Try|Exception is|Where):/
const MAX_LINES_TO_MESSAGE = 4

/** Reads where Gradle says that a build script failed: `* Where:`, the place, `* What went wrong:`, the message. */
export const gradle: TraceReader = {
  language: 'groovy',
  opens: ["' line: 0"],
  read({ lines }, at) {
    const raw = lineAt(lines, at).trim()
    const match = raw.includes("' line: ") ? WHERE.exec(raw) : null
    if (match === null) return null
    const file = match[1] ?? ''
    const frame = newFrame(raw, { file, line: match[2] })
    let next = at + 1
    while (next < at + MAX_LINES_TO_MESSAGE && !HEADING.test(lineAt(lines, next).trim())) next++
    const said: string[] = []
    for (
      next++;
      next < lines.length && said.length < MAX_MESSAGE_LINES && !HEADING.test(lineAt(lines, next).trim());
      next++
    ) {
      said.push(lineAt(lines, next).trim())
    }
    const end = said.indexOf('', 1)
    return {
      exceptions: [
        { type: null, message: joinMessage(end === -1 ? said : said.slice(0, end)), relation: 'root', frames: [frame] },
      ],
      next: at + 1,
      language: languageOfFile(file),
    }
  },
}
