/** How one test ended. */
export type TestStatus = 'passed' | 'failed' | 'skipped'

/** One test of a report. Plain JSON, as steps keep it. */
export type TestResult = {
  /** File or class, suites and name, the same in each run of the same runner. */
  id: string
  status: TestStatus
  /** What the failure says, shortened; left out where it says nothing, and for tests that did not fail. */
  message?: string
}

/** What one run of a test runner reports. */
export type TestReport = {
  tests: TestResult[]
  /** Whether passed tests are listed, too; a runner's own text may name failures alone. */
  listsPassed: boolean
  /** How many tests ran, skipped ones left out; null where that is not known. */
  ran: number | null
}

/** Tests that are kept of one report. */
const MAX_TESTS = 20_000
const MAX_ID_CHARS = 500
const MAX_MESSAGE_CHARS = 1_000
/** Where the sandbox puts the files of a project. */
const WORKSPACE = /^(?:file:\/\/)?\/workspace\//
const BLANKS = /\s+/g

const RANKS: Readonly<Record<TestStatus, number>> = { failed: 2, passed: 1, skipped: 0 }

// eslint-disable-next-line no-control-regex -- they come from programs and would reach terminals
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/g

/** A line of one's own: no line breaks, no control characters, a bounded length. */
const line = (text: string): string =>
  text
    .slice(0, 4 * MAX_ID_CHARS)
    .replace(CONTROLS, ' ')
    .replace(BLANKS, ' ')
    .trim()

/** The id of a test by its file or class, its suites and its name; what stands twice in a row counts once. */
export function testId(parts: readonly string[]): string {
  const clean = parts.map(part => line(part.replace(WORKSPACE, ''))).filter(part => part !== '')
  return clean
    .filter((part, index) => part !== clean[index - 1])
    .join(' > ')
    .slice(0, MAX_ID_CHARS)
}

/** What a failure says, as far as it is kept. */
export const failureMessage = (text: string): string => text.slice(0, MAX_MESSAGE_CHARS).trim().toWellFormed()

/** The tests of a report: equal ids are one test, which failed when one of them did. */
export function reportOf(
  results: Iterable<TestResult>,
  { listsPassed = true, ran }: { listsPassed?: boolean; ran?: number | null } = {},
): TestReport {
  const tests = new Map<string, TestResult>()
  for (const { message, ...result } of results) {
    const known = tests.get(result.id)
    if (result.id === '' || (known === undefined && tests.size >= MAX_TESTS)) continue
    if (known !== undefined && RANKS[known.status] >= RANKS[result.status]) continue
    const says = result.status === 'failed' && message !== undefined && message !== '' ? { message } : {}
    tests.set(result.id, { ...result, ...says })
  }
  const all = [...tests.values()]
  const counted = ran === undefined ? all.filter(({ status }) => status !== 'skipped').length : ran
  return { tests: all, listsPassed, ran: counted }
}
