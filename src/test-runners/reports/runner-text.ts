import { failureMessage, reportOf, testId, type TestReport, type TestResult } from './test-report.ts'

const MAX_LINE_CHARS = 2_000

interface TextReader {
  /** Finds the runner's last line, which says how many tests ran; without it nothing is certain. */
  total: (lines: readonly string[]) => number | null
  /** The test that a line names. */
  test: (line: string) => TestResult | null
  listsPassed: boolean
  /** Where the tests are listed; default: anywhere. */
  begins?: RegExp
}

/** The sum of the counts by these words, as in `1 failed, 2 passed`. */
function sumOf(line: string, words: RegExp): number {
  let sum = 0
  for (const [, count] of line.matchAll(words)) sum += Number(count)
  return sum
}

/** The last line of a form; '' where there is none. */
const lastMatch = (lines: readonly string[], pattern: RegExp): string =>
  lines.findLast(line => pattern.test(line)) ?? ''

const PYTEST_END = /^=* ?(?=.{0,200}\b\d+ (?:passed|failed|errors?)\b).{0,300} in \d+(?:\.\d+)?s\b/
const PYTEST_TEST = /^(?:FAILED|ERROR) (\S.*)$/
const PYTEST_COUNTS = /\b(\d{1,9}) (?:passed|failed|errors?)\b/g

const pytest: TextReader = {
  begins: /^=+ short test summary info =+$/,
  listsPassed: false,
  total: lines => {
    const end = lastMatch(lines, PYTEST_END)
    return end === '' ? null : sumOf(end, PYTEST_COUNTS)
  },
  test: line => {
    const [, said] = PYTEST_TEST.exec(line) ?? []
    if (said === undefined) return null
    const [name = '', ...message] = said.split(' - ')
    return { id: testId(name.split('::')), status: 'failed', message: failureMessage(message.join(' - ')) }
  },
}

const UNITTEST_TEST = /^(?:FAIL|ERROR): (\S+) \(([\w.]+)\)$/
const UNITTEST_END = /^Ran (\d{1,9}) tests? in \d/

const unittest: TextReader = {
  listsPassed: false,
  total: lines => {
    const [, count] = UNITTEST_END.exec(lastMatch(lines, UNITTEST_END)) ?? []
    const isOver = lines.some(line => /^(?:OK|FAILED)(?: \([\w=, ]+\))?$/.test(line))
    return count === undefined || !isOver ? null : Number(count)
  },
  test: line => {
    const [, name = '', place = ''] = UNITTEST_TEST.exec(line) ?? []
    // since 3.11 the place has the name at its end
    const parts = place.endsWith(`.${name}`) ? [place.slice(0, -name.length - 1), name] : [place, name]
    return name === '' ? null : { id: testId(parts), status: 'failed' }
  },
}

const JEST_TEST = /^ {2}● (\S.*)$/
const JEST_END = /^Tests: {1,10}(?=.*\b\d+ total\b)/
const JEST_COUNTS = /\b(\d{1,9}) (?:passed|failed)\b/g

const jest: TextReader = {
  listsPassed: false,
  total: lines => {
    const end = lastMatch(lines, JEST_END)
    return end === '' ? null : sumOf(end, JEST_COUNTS)
  },
  test: line => {
    const [, said] = JEST_TEST.exec(line) ?? []
    if (said === undefined || said.startsWith('Console')) return null
    return { id: testId(said.split(' › ')), status: 'failed' }
  },
}

const CARGO_TEST = /^test (\S.*) \.\.\. (ok|FAILED|ignored)\b/
const CARGO_END = /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed;/
const CARGO_STATUSES: Readonly<Record<string, TestResult['status']>> = {
  ok: 'passed',
  FAILED: 'failed',
  ignored: 'skipped',
}

const cargo: TextReader = {
  listsPassed: true,
  total: lines => {
    const ends = lines.flatMap(line => {
      const [, passed, failed] = CARGO_END.exec(line) ?? []
      return passed === undefined ? [] : [Number(passed) + Number(failed)]
    })
    return ends.length === 0 ? null : ends.reduce((sum, count) => sum + count, 0)
  },
  test: line => {
    const [, name = '', end = ''] = CARGO_TEST.exec(line) ?? []
    const status = CARGO_STATUSES[end]
    return status === undefined ? null : { id: testId([name]), status }
  },
}

const READERS = [cargo, pytest, unittest, jest]

function read({ total, test, listsPassed, begins }: TextReader, lines: readonly string[]): TestReport | null {
  const ran = total(lines)
  if (ran === null) return null
  const from = begins === undefined ? 0 : lines.findLastIndex(line => begins.test(line))
  const tests = from < 0 ? [] : lines.slice(from).flatMap(line => test(line) ?? [])
  return reportOf(tests, { listsPassed, ran })
}

/**
 * Reads what runners print for people, the last resort: pytest, unittest, jest, cargo. Only where the line is there
 * that ends their output.
 */
export function readRunnerText(text: string): TestReport | null {
  const lines = text.split('\n').map(line => line.slice(0, MAX_LINE_CHARS).trimEnd())
  for (const reader of READERS) {
    const report = read(reader, lines)
    if (report !== null) return report
  }
  return null
}
