// What begins a row of a trace in nearly every runtime: enough to tell a trace from other text, not to read it.
const ROW_START =
  /^(?:\s+\d{1,4}: +\S|\s*(?:At \S.{0,400}:\d{1,9} char:\d|\[C\]: in |at (?:async |new )?[\w$<[(./]\S{0,300}?(?:[(:.]| \()|File ["~/.\w]|(?:Cell|Input) In ?\[|FAILED \S|(?:stack|at): ?[|>']|Traceback \(most recent|#\d{1,4}:? |Caused by:(?: |$)|Suppressed: |note: (?:run with `|Some details)|\.\.\. \d{1,5} more|from \S{1,400}:\d|goroutine \d|[^\s@]{0,200}@(?:[a-z][\w+.-]{1,30}:\/\/|\[native code)|thread '|\[\d{1,4}\] [\w/.~]|(?:\.{0,2}\/|[A-Za-z]:[\\/])\S{1,400}:\d|[^\s:"'(\\]{1,400}\.\w{1,5}(?::\d{1,9}(?::\d{1,9})?|\(\d{1,9},\d{1,9}\)): \S))/
// PHP, Perl and shells say the place in words.
const NAMED_LINE = /(?:^\s*In| in| at) ["']?\S{1,400} (?:on )?line \d/
// .NET says "at" in the language of the machine.
const TRANSLATED_ROW =
  /^\s*(?:bei|\u00E0|\u0432|\u5728|\u5834\u6240|\uC704\uCE58:) [\w<>`+]{1,200}\.[\w.<>`+|]{1,400}\(/

/** Whether a line looks like a row of a stack trace, of whatever runtime. */
export const startsRow = (line: string): boolean =>
  ROW_START.test(line) || TRANSLATED_ROW.test(line) || (line.includes(' line ') && NAMED_LINE.test(line))

// Marks by which a row is found behind a prefix, with what has to stand before them.
const MARKS: ReadonlyArray<readonly [mark: string, inside: number]> = [
  ['Traceback (most recent call last):', 0],
  ['File "', 0],
  ['  at ', 2],
  ['\tat ', 1],
  ['Caused by: ', 0],
]
const ANY_MARK = /Traceback \(|File "|[ \t]at |Caused by: / // one look instead of five at a line without any

/** Where a row begins that stands behind a prefix; 0 when there is none. */
export function rowBehindPrefix(line: string): number {
  if (!ANY_MARK.test(line)) return 0
  for (const [mark, inside] of MARKS) {
    const index = line.indexOf(mark)
    if (index > 0 && line.trimStart().length > line.length - index) return index + inside
  }
  return 0
}

/** Whether a line looks like a row, alone or behind a logger's name or the margin of an exception group. */
export const holdsRow = (line: string): boolean => startsRow(line) || rowBehindPrefix(line) > 0
