import { isErrorLine } from '../readers/python/python-error.ts'
import { startsRow } from '../trace-rows.ts'

/** How a runtime's rows begin, and how they look once nothing of them is missing. */
interface RowKind {
  begins: RegExp
  isWhole: (row: string) => boolean
  /** What may be missing of a row that looks whole: the end of its last number or name, or its place. */
  tail?: RegExp
  /** Whether such a tail is enough to believe that rows were broken. */
  tailProves?: boolean
}

const PYTHON_WHOLE = /^\s*(?:[|+-]\s*)*File "[^"]{1,4000}", line \d{1,9}(?:,? in \S.{0,400})?$/
const PYTHON_TAIL = /^(?:[\w<>.]{1,100}|[\d,]{0,9} ?(?:line|in|n) \S.{0,200})$/
const AT_END =
  /:\d{1,9}\)?(?: \{|,)?$|:line \d{1,9}$|\)(?: ?~?\[[^\]]{1,200}\])?(?: \{|,)?$|\[0x[0-9a-f]{1,16}\] in <[0-9a-f#]{1,64}>:\d{1,9}$/
const AT_TAIL =
  /^(?:\d{1,8}(?::\d{1,9})?\)?(?: \{|,)?|[:)]\d{1,9}[\d:]{0,20}\)?(?: \{|,)?| ?~?\[[^\]]{1,200}\]| ?(?:in )?(?:[/<]|[A-Za-z]:[\\/]).{0,600}:(?:line )?\d{1,9}| ?\[0x[0-9a-f]{1,16}\] in <.{1,80}| ?\{)\s?$/
const PLACE_IN_NAME =
  /^\s*(?:\d{1,4}: )?(?:from )?(?:\(eval at [^()]{1,600}\)|[^\s"'`()]{1,1000}):\d{1,9}:in [`'][^`']{1,300}'/
const RUBY_TAIL = /^(?:: \S.*|(?:.{0,300}\([A-Z])?[\w:]{0,100}\))$/
const PHP_END = /\{main\}$|\(\d{1,9}\): \S.{0,4000}\)$|\[internal function\]: .{1,4000}\)$/
const PHP_REPORT_END = / in \S{1,1000}(?::\d{1,9}| on line \d{1,9})$/
const GO_PLACE =
  /^\t\S.{0,1000}\.(?:go|s):\d{1,9}(?: \+0x[0-9a-f]{1,8})?(?: fp=0x[0-9a-f]{1,16} sp=0x[0-9a-f]{1,16} pc=0x[0-9a-f]{1,16})?$/
const GO_TAIL = /^(?:[0-9a-f]{1,12}|\d{0,8} ?\+0x[0-9a-f]{1,8}(?: fp=.{1,80})?|[0-9a-f]{0,8} ?fp=0x.{1,80})$/

function isBalanced(row: string, open = '(', close = ')'): boolean {
  let depth = 0
  for (const char of row) {
    if (char === open) depth++
    else if (char === close) depth--
  }
  return depth === 0
}

const KINDS: readonly RowKind[] = [
  { begins: /^\s*(?:[|+-]\s*)*File "/, isWhole: row => PYTHON_WHOLE.test(row), tail: PYTHON_TAIL, tailProves: false },
  {
    begins: /^\s*(?:at|bei|\u00E0|\u0432|\u5728|\u5834\u6240|\uC704\uCE58:) \S/,
    isWhole: row => AT_END.test(row.trimEnd()) && isBalanced(row),
    tail: AT_TAIL,
  },
  { begins: /^#\d{1,4} (?:[/\\]|[A-Za-z]:|phar:|\{|\[i)/, isWhole: row => PHP_END.test(row) && isBalanced(row) },
  {
    begins:
      /^(?:PHP )?(?:[A-Z]\w{1,20} ){0,2}(?:[Ee]rror|[Ww]arning|[Nn]otice|Deprecated): (?: ?Uncaught |.{0,2000} in (?:\/|[A-Za-z]:\\)[^\s:]*(?: on(?: l[ine]{0,3})?)? ?$)|^ {2}thrown in /,
    isWhole: row => PHP_REPORT_END.test(row),
    tail: /^\d{1,8}$/,
  },
  { begins: /^\t(?:[/\\]|[A-Za-z]:|_)\S*/, isWhole: row => GO_PLACE.test(row), tail: GO_TAIL },
  { begins: /^[\w.~/-][\w.~/()*[\]-]{1,600}\((?:\{|0x)/, isWhole: row => row.endsWith(')') && isBalanced(row) },
  { begins: /^\[signal \S/, isWhole: row => row.endsWith(']') },
  { begins: /^goroutine \d/, isWhole: row => row.endsWith(']:') },
  { begins: /^thread '/, isWhole: row => /:\d{1,9}:\d{1,9}:?$/.test(row), tail: /^\d{0,8}(?::\d{1,8})?:?$/ },
  {
    begins: /^\s+\d{1,4}: +(?:0x[0-9a-f]{1,16} - )?</,
    isWhole: row => isBalanced(row.replaceAll('->', ''), '<', '>'),
    tail: /^\S/,
    tailProves: false,
  },
  { begins: /^\s+\[(?:cause|errors?)\]: /, isWhole: row => isBalanced(row), tail: /^ ?\S/, tailProves: false },
  {
    begins:
      /^\s+(?:\d{1,4}: )?from \S|^\(eval at |^(?:[/~]|\.{1,2}\/|[A-Za-z]:[\\/])\S*(?::\d{1,9}:(?:in?)? ?(?:[`'][^`']*)?)?$|^[^\s:"'`()]{1,300}:\d{1,9}:in [`']/,
    isWhole: row => PLACE_IN_NAME.test(row),
    tail: RUBY_TAIL,
  },
]

// A path that ends where the line does, without the number that belongs to it.
const UNFINISHED_PATH = /(?:^|[\s("'])(?:\/|\.{1,2}\/|[A-Za-z]:[\\/])[^\s:()"']{1,1000}$/
// No piece of a row but the first has such a beginning.
const SURE_START =
  /^(?:\t|\s{2,}(?:at|from) |\s{2,}File "|\s+\d{1,4}: +\S|#\d{1,4} |Caused by: |Suppressed: |Traceback \(|goroutine \d|thread '|\.\.\. \d{1,5} more|note: )/

const kindOf = (line: string): RowKind | undefined => KINDS.find(({ begins }) => begins.test(line))

/** Whether a row that has been put together is one of some runtime, from its beginning to its end. */
export function completesRow(first: string, next: string, joined: string): boolean {
  const kind = kindOf(first)
  if (kind === undefined) return false
  return kind.isWhole(first)
    ? kind.tailProves !== false && kind.tail?.test(next) === true
    : kind.isWhole(joined.trimEnd())
}

/**
 * Whether a row of Python that looks whole goes on in the next line: code is indented, and an error is named like one.
 */
export const lostItsEnd = (line: string, next: string): boolean =>
  line.startsWith(' ') && PYTHON_WHOLE.test(line) && PYTHON_TAIL.test(next) && !isErrorLine(next)

/** Whether `next` begins a line of its own, behind a line that is as long as lines can be. */
export function beginsLine(next: string, last: string): boolean {
  if (next.trim() === '' || SURE_START.test(next)) return true
  const kind = kindOf(last)
  const whole = kind === undefined ? !UNFINISHED_PATH.test(last) : kind.isWhole(last)
  if (!whole) return false
  if (kind !== undefined && !PLACE_IN_NAME.test(last)) {
    return !(kind.tail?.test(next) === true) || (kind.tail === PYTHON_TAIL && isErrorLine(next))
  }
  return startsRow(next)
}
