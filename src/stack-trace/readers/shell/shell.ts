import { languageOfFile } from '../../source-endings.ts'
import type { RawException } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

/** A tool of which one line is all there is: a place and what went wrong there. */
interface Row {
  language: string
  /** What every such line holds: a cheap look before the pattern. */
  mark: string
  /** Anchored; groups `file`, `line`, `message`, and where there is one `function`. */
  pattern: RegExp
  type: string
  /** Said of another failure: it must not be taken for one of its own where there is one. */
  isEcho?: boolean
  /** Whether the line below, in the same form, is the code. */
  codeBelow?: RegExp
}

const SHELLS = /^(?:-?(?:\/(?:usr\/)?bin\/)?(?:ba|da|z|k|a)?sh|main|environment)$/
const SAID_BY_SH = [
  'not found',
  '.*: not found',
  'Permission denied',
  '.*: Permission denied',
  "(?:\\w{1,20}: )?(?:can't|cannot) (?:cd to|open|create) .*",
  'Bad substitution',
  'Bad for loop variable',
  'Syntax error: .*',
  '.*: parameter (?:not set|null or not set).*',
  '.*: unbound variable',
  'arithmetic expression: .*',
  'Illegal (?:number|option) .*',
  '.*: is read only',
  '.*: bad .*',
  'shift: .*',
  '.*: unexpected operator',
].join('|')

const ROWS: readonly Row[] = [
  {
    language: 'shell',
    mark: ': line ',
    pattern: /^(?<file>[^\s:][^:]{0,500}|[A-Za-z]:[^:]{1,500}): line (?<line>\d{1,9}): (?<message>[^`].*)$/,
    type: 'error',
    codeBelow: /: line \d{1,9}: `(.*)'$/,
  },
  {
    language: 'shell',
    mark: ': ',
    pattern: new RegExp(`^(?<file>[^\\s:]{1,500}): (?<line>\\d{1,9}): (?<message>${SAID_BY_SH})$`),
    type: 'error',
  },
  {
    language: 'shell',
    mark: ':',
    pattern: /^(?<file>[^\s:]{1,500}\.(?:z|ba|k)?sh):(?:\w{1,60}:)?(?<line>\d{1,9}): (?<message>\S.*)$/,
    type: 'error',
  },
  {
    language: 'shell',
    mark: ': ',
    pattern:
      /^(?<function>[^\s:]{1,200}):(?:\w{1,20}:)?(?<line>\d{1,9}): (?<message>(?:command not found|no such file or directory|permission denied|not a directory): .*)$/,
    type: 'error',
  },
  {
    language: 'shell',
    mark: ']: ',
    pattern: /^(?<file>[^\s:]{1,500}\.(?:k|mk)?sh)\[(?<line>\d{1,9})\]: (?<message>\S.*)$/,
    type: 'error',
  },
  {
    language: 'make',
    mark: ']',
    pattern:
      /^g?make(?:\[\d{1,4}\])?: \*\*\* \[(?<file>\S{1,500}):(?<line>\d{1,9}): (?<function>[^\]]{1,300})\] (?<message>(?:Error|Segmentation|Killed|Terminated|Aborted).*)$/,
    type: 'make',
    isEcho: true,
  },
  {
    language: 'make',
    mark: ': *** ',
    pattern: /^(?<file>[^\s:]{1,500}):(?<line>\d{1,9}): \*\*\* (?<message>.*)$/,
    type: 'make',
  },
]

const NUMBERED = /(?::|\[| line |: )\d/

function matching(line: string): { row: Row; groups: Record<string, string | undefined> } | null {
  for (const row of ROWS) {
    if (!line.includes(row.mark)) continue
    const groups = row.pattern.exec(line)?.groups
    if (groups !== undefined && !(row.language === 'shell' && groups.file !== undefined && SHELLS.test(groups.file))) {
      return { row, groups }
    }
  }
  return null
}

/** Reads the lines of tools that print no more than a line: shells, make and others of the table. */
export const shell: TraceReader = {
  language: 'shell',
  opens: [':0', '[0', ' line 0', ': 0'],
  read({ lines }, at) {
    const line = lineAt(lines, at).trim()
    const found = NUMBERED.test(line) ? matching(line) : null
    if (found === null) return null
    const {
      row,
      groups: { file, line: number, function: name, message },
    } = found
    const code = row.codeBelow?.exec(lineAt(lines, at + 1))?.[1]
    const frame = newFrame(line, {
      file,
      line: number,
      function: name,
      sourceText: code,
    })
    const exception: RawException = {
      type: row.type,
      message: joinMessage([message ?? '']),
      relation: row.isEcho === true ? 'separate' : 'root',
      frames: [frame],
    }
    const byFile = row.language === 'shell' && file !== undefined ? languageOfFile(file) : null
    return { exceptions: [exception], next: at + (code === undefined ? 1 : 2), language: byFile ?? row.language }
  },
}
