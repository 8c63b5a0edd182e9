import type { CleanText } from '../../layout/clean.ts'
import { calledName, phpPlace } from './php-frame.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { namedByCaller, newFrame, pushFrame } from '../../frames.ts'
import { isBlankAt, lineAt, skipBlank } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const THROWN_AT = /^at (\S+\.(?:php|phtml)|\S+artisan): ?(\d{1,9})$/
const ARROW_CODE = /^➜ {1,4}\d{1,7}[▕|] ?(.*)$/
const CODE = /^\s*(?:➜ \s*)?\d{1,7}(?:[▕|:]|$)/
const CALLER = /^(\d{1,6}) {1,6}(\S+):(\d{1,9})$/
const ELIDED = /^\+\d{1,6} vendor frames?$/
const CALL_ROW = /^at (\S.*)\($|^at ([^\s(]+)\(/
const CALL_PLACE = /^\((\S+\.php):(\d{1,9})\)$/
const TRACE = 'Exception trace:'
const CONSOLE_HEAD = /^In (\S+\.\w{1,8}) line (\d{1,9}):$/
const CONSOLE_PLACE = /^(?:(\S.*\)) )?at (\S+):(\d{1,9}|n\/a)$/
const CONSOLE_USAGE = /^[a-z][\w-]{0,60}(?::[\w-]{1,60})?(?: \[.*| <.*)?$/
const TEST = /^(?:\d{1,6}\) )?([\w\\]{1,300}::\w{1,200}(?: with data set .{1,300})?)$/
const TEST_PLACE = /^((?:\/|[A-Za-z]:\\|phar:\/\/)?\S.*\.(?:php|phpt|phar|inc)(?:\/\S*)?):(\d{1,9})$/
const CLASS = /^[A-Z][\w\\]*$/
const CLASS_MESSAGE = /^([A-Z][\w\\]*): (.*)$/
const MAX_HEAD_LINES = 20

/** A caller on two lines: place and call, in the order of either tool. */
function callerRow(lines: string[], at: number): RawFrame | null {
  const first = lineAt(lines, at).trim()
  const second = lineAt(lines, at + 1).trim()
  const place = CALLER.exec(first)
  if (place !== null) {
    return newFrame(`${place[2]}:${place[3]} ${second}`, {
      ...phpPlace(place[2] ?? '', place[3]),
      function: calledName(second),
    })
  }
  const call = CALL_ROW.test(first) ? CALL_PLACE.exec(second) : null
  if (call === null) return null
  return newFrame(`${first} ${second}`, { ...phpPlace(call[1], call[2]), function: calledName(first.slice(3)) })
}

/** The nearest line that is a class alone, or a class before a colon, and what stands below it. */
function headAbove(text: CleanText, floor: number, at: number): ErrorHead {
  const lowest = Math.max(floor, at - MAX_HEAD_LINES)
  for (let above = at - 1; above >= lowest; above--) {
    const line = lineAt(text.lines, above)
      .trim()
      .replace(/^\[(.*)\]$/, '$1')
      .trim()
    const below = text.lines.slice(above + 1, at).map(one => one.trim())
    const named = CLASS_MESSAGE.exec(line)
    if (named !== null) return { type: named[1] ?? null, message: joinMessage([named[2] ?? '', ...below]) }
    const alone = line.replace(/:$/, '')
    if (CLASS.test(alone) && (alone.includes('\\') || /(?:Error|Exception)$/.test(alone))) {
      return { type: alone, message: joinMessage(below) }
    }
  }
  let start = at
  while (start > lowest && isBlankAt(text.lines, start - 1)) start--
  let first = start
  while (first > lowest && !isBlankAt(text.lines, first - 1)) first--
  return { type: null, message: joinMessage(text.lines.slice(first, start).map(line => line.trim())) }
}

function readThrownAt(text: CleanText, at: number, floor: number): Failure | null {
  const raw = lineAt(text.lines, at).trim()
  const match = THROWN_AT.exec(raw)
  if (match === null) return null
  const place = newFrame(raw, phpPlace(match[1] ?? '', match[2]))
  const rows: RawFrame[] = []
  let next = at + 1
  for (; next < text.lines.length; next++) {
    const row = callerRow(text.lines, next)
    if (row !== null) {
      pushFrame(rows, row)
      next++
      continue
    }
    const line = lineAt(text.lines, next)
    const arrow = ARROW_CODE.exec(line.trim())
    if (arrow !== null) place.sourceText = arrow[1]?.trim() || null
    else if (ELIDED.test(line.trim())) {
      rows.push(newFrame(line.trim(), {}))
    } // what called the frame before it is unknown
    else if (line.trim() !== '' && !CODE.test(line)) break
  }
  return {
    exceptions: [
      { ...headAbove(text, floor, at), relation: 'root', frames: namedByCaller([...rows.reverse(), place], null) },
    ],
    next,
  }
}

/** The first row is where it was thrown, the others say what they called. */
function consoleRow(raw: string): RawFrame | null {
  const match = CONSOLE_PLACE.exec(raw)
  if (match === null) return null
  const [, call, file, line] = match
  const place = file === 'n/a' ? {} : phpPlace(file, line)
  return newFrame(raw, { ...place, function: call === undefined ? null : calledName(call) })
}

const isConsoleEnd = (line: string): boolean =>
  line.trim() === TRACE || CONSOLE_HEAD.test(line.trim()) || CONSOLE_USAGE.test(line.trimEnd())

function readConsoleError(lines: string[], at: number): { exception: RawException; next: number } | null {
  const raw = lineAt(lines, at).trim()
  const head = CONSOLE_HEAD.exec(raw)
  if (head === null) return null
  let next = at + 1
  while (next < at + MAX_MESSAGE_LINES && next < lines.length && !isConsoleEnd(lineAt(lines, next))) next++
  const said = lines
    .slice(at + 1, next)
    .map(line => line.trim())
    .filter(line => line !== '')
  const [first = '', ...below] = said
  const type = /^\[([\w\\]+)(?: \(\S+\))?\]$/.exec(first)?.[1] ?? null
  const message = joinMessage(type === null ? said : below)
  const bare = newFrame(raw, phpPlace(head[1] ?? '', head[2]))
  if (lines[next]?.trim() !== TRACE) return { exception: { type, message, relation: 'root', frames: [bare] }, next }
  const rows: RawFrame[] = []
  for (next++; next < lines.length; next++) {
    const row = consoleRow(lineAt(lines, next).trim())
    if (row === null) break
    pushFrame(rows, row)
  }
  return {
    exception: {
      type,
      message,
      relation: 'root',
      frames: rows.length === 0 ? [bare] : namedByCaller(rows.reverse(), null),
    },
    next,
  }
}

/** Symfony's console: `In Cart.php line 25:`, type and message, with `-v` a trace; then the same of what caused it. */
function readConsole({ lines }: CleanText, at: number): Failure | null {
  const exceptions: RawException[] = []
  let next = at
  for (;;) {
    const part = readConsoleError(lines, next)
    if (part === null) break
    exceptions.push({ ...part.exception, relation: exceptions.length === 0 ? 'root' : 'cause' })
    next = part.next
    const head = skipBlank(lines, next, 3)
    if (!CONSOLE_HEAD.test(lineAt(lines, head).trim())) break
    next = head
  }
  return exceptions.length === 0 ? null : { exceptions, next }
}

function readTestError(
  lines: string[],
  at: number,
  test: string | null,
): { exception: RawException; next: number } | null {
  let next = at
  while (next < at + MAX_MESSAGE_LINES && next < lines.length && !TEST_PLACE.test(lineAt(lines, next).trim())) next++
  const message = lines.slice(at, next).map(line => line.trim())
  const frames: RawFrame[] = []
  for (; next < lines.length; next++) {
    const raw = lineAt(lines, next).trim()
    const match = TEST_PLACE.exec(raw)
    if (match === null) break
    pushFrame(frames, newFrame(raw, phpPlace(match[1] ?? '', match[2])))
  }
  const outermost = frames.at(-1)
  if (outermost === undefined) return null
  if (test !== null) outermost.function = test.replace(/ with data set .*/, '')
  const [head = '', ...more] = message
  const [, type = 'Failure', said = head] = CLASS_MESSAGE.exec(head) ?? []
  return {
    exception: {
      type,
      message: joinMessage([said, ...more]),
      relation: test === null ? 'cause' : 'root',
      frames: frames.reverse(),
    },
    next,
  }
}

/** `1) CartTest::testTotal`, the message, then places without functions, innermost first. */
function readTest(text: CleanText, at: number): Failure | null {
  const name = TEST.exec(lineAt(text.lines, at).trim())?.[1] ?? null
  const exceptions: RawException[] = []
  let next = at + 1
  for (;;) {
    const part = readTestError(text.lines, next, exceptions.length === 0 ? name : null)
    if (part === null) break
    exceptions.push(part.exception)
    next = skipBlank(text.lines, part.next, 2)
    if (text.lines[next]?.trim() !== 'Caused by') return { exceptions, next: part.next }
    next++
  }
  return exceptions.length === 0 ? null : { exceptions, next }
}

/** Reads the reports that PHP's tools print: Collision (Laravel, Pest), Symfony's console and handler, PHPUnit. */
export const phpReports: TraceReader = {
  language: 'php',
  opens: ['\nat ', '\nIn ', '::'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at).trim()
    if (line.startsWith('at ')) return readThrownAt(text, at, floor)
    if (line.startsWith('In ')) return readConsole(text, at)
    return line.includes('::') && TEST.test(line) ? readTest(text, at) : null
  },
}
