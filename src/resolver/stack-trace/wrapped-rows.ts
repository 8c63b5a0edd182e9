import { isErrorLine } from './python-error.ts'
import { startsRow } from './trace-rows.ts'

/** How a runtime's rows begin, and how they look once nothing of them is missing. */
interface RowKind {
  begins: RegExp
  isWhole: (row: string) => boolean
  /** What may be missing of a row that looks whole: the end of its last number or name, or its place. */
  tail?: RegExp
}

const PYTHON_WHOLE = /^\s*(?:[|+-]\s*)*File "[^"]{1,4000}", line \d{1,9}(?:,? in \S.{0,400})?$/
const PYTHON_TAIL = /^(?:[\w<>.]{1,100}|[\d,]{0,9} ?(?:line|in|n) \S.{0,200})$/
const AT_END = /:\d{1,9}\)?(?: \{|,)?$|:line \d{1,9}$|\)(?: ?~?\[[^\]]{1,200}\])?(?: \{|,)?$|\[0x[0-9a-f]{1,16}\] in <[0-9a-f#]{1,64}>:\d{1,9} ?$/
const AT_TAIL = /^(?:\d{1,8}(?:[:)].*)?|[:)][\d)].{0,40}| ?~?\[[^\]]{1,200}\]| ?(?:in )?(?:[/<]|[A-Za-z]:[\\/]).{0,600}:(?:line )?\d{1,9}| ?\[0x[0-9a-f]{1,16}\] in <.{1,80}| ?\{)$/
const PLACE_IN_NAME = /^\s*(?:\d{1,4}: )?(?:from )?[^\s"'`()]{1,1000}:\d{1,9}:in [`'][^`']{1,300}'/
const PHP_END = /\{main\}$|\(\d{1,9}\): \S.{0,4000}\)$|\[internal function\]: .{1,4000}\)$/
const GO_PLACE = /^\t\S.{0,1000}\.(?:go|s):\d{1,9}(?: \+0x[0-9a-f]{1,8})?$/

const KINDS: readonly RowKind[] = [
  { begins: /^\s*(?:[|+-]\s*)*File "/, isWhole: row => PYTHON_WHOLE.test(row), tail: PYTHON_TAIL },
  { begins: /^\s*at \S/, isWhole: row => AT_END.test(row) && isBalanced(row), tail: AT_TAIL },
  { begins: /^#\d{1,4} (?:[/\\]|[A-Za-z]:|phar:|\{|\[i)/, isWhole: row => PHP_END.test(row) && isBalanced(row) },
  { begins: /^\t(?:[/\\]|[A-Za-z]:|_)\S*/, isWhole: row => GO_PLACE.test(row), tail: /^(?:\d{1,8}(?: \+0x[0-9a-f]{1,8})?| \+0x[0-9a-f]{1,8}|[0-9a-f]{1,8})$/ },
  { begins: /^\s+(?:\d{1,4}: )?from \S|^(?:[/~]|\.{1,2}\/|[A-Za-z]:[\\/])\S*(?::\d{1,9}:(?:in?)? ?(?:[`'][^`']*)?)?$/, isWhole: row => PLACE_IN_NAME.test(row) },
  { begins: /^(?:PHP )?[A-Z][\w ]{1,30}: {1,2}Uncaught |^ {2}thrown in /, isWhole: row => / in \S{1,1000}(?::\d{1,9}| on line \d{1,9})$/.test(row), tail: /^\d{1,8}$/ },
]

// A path that ends where the line does, without the number that belongs to it.
const UNFINISHED_PATH = /(?:^|[\s("'])(?:\/|\.{1,2}\/|[A-Za-z]:[\\/])[^\s:()"']{1,1000}$/
// No piece of a row but the first has such a beginning.
const SURE_START = /^(?:\t|\s{2,}(?:at|from) |\s{2,}File "|\s+\d{1,4}: +\S|#\d{1,4} |Caused by: |Suppressed: |Traceback \(|goroutine \d|thread '|\.\.\. \d{1,5} more|note: )/

const kindOf = (line: string): RowKind | undefined => KINDS.find(({ begins }) => begins.test(line))

/** Whether something is missing at the end of a row of a trace. */
export function isBroken (line: string): boolean {
  const kind = kindOf(line)
  return kind === undefined ? UNFINISHED_PATH.test(line) : !kind.isWhole(line)
}

/** Whether a row that has been put together is one of some runtime, from its beginning to its end. */
export const completesRow = (first: string, joined: string): boolean => {
  const kind = kindOf(first)
  return kind !== undefined && !kind.isWhole(first) && kind.isWhole(joined.trimEnd())
}

/** Whether a row of Python that looks whole goes on in the next line: code is indented, and an error is named like one. */
export const lostItsEnd = (line: string, next: string): boolean => line.startsWith(' ') && PYTHON_WHOLE.test(line) && PYTHON_TAIL.test(next) && !isErrorLine(next)

/** Whether `next` begins a line of its own, behind a line that is as long as lines can be. */
export function beginsLine (next: string, last: string): boolean {
  if (next.trim() === '' || SURE_START.test(next)) return true
  const kind = kindOf(last)
  const whole = kind === undefined ? !UNFINISHED_PATH.test(last) : kind.isWhole(last)
  if (!whole) return false
  if (kind !== undefined && !PLACE_IN_NAME.test(last)) return !(kind.tail?.test(next) === true) || (kind.tail === PYTHON_TAIL && isErrorLine(next))
  return startsRow(next)
}

function isBalanced (row: string): boolean {
  let depth = 0
  for (let at = 0; at < row.length; at++) {
    const code = row.charCodeAt(at)
    if (code === 40) depth++
    else if (code === 41) depth--
  }
  return depth === 0
}
