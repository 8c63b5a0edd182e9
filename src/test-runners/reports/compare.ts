import type { TestReport } from './test-report.ts'

/** Tests by what became of them. */
type ComparedTests = {
  /** Failed before, pass now. */
  fixed: string[]
  /** Passed before, fail now. */
  broken: string[]
}

const idsOf = ({ tests }: TestReport, status: 'passed' | 'failed'): Set<string> =>
  new Set(tests.filter(test => test.status === status).map(({ id }) => id))

/** The ids of the tests that failed. */
export const failedIn = (report: TestReport): string[] => [...idsOf(report, 'failed')]

/**
 * Whether a test passed in a run. Where failures alone are listed, one that is not among them did if as many tests ran
 * as in the other run: none of them can have been left out.
 */
function passedIn(report: TestReport, other: TestReport): (id: string) => boolean {
  if (report.listsPassed) {
    const passed = idsOf(report, 'passed')
    return id => passed.has(id)
  }
  const failed = idsOf(report, 'failed')
  return id => report.ran !== null && report.ran === other.ran && !failed.has(id)
}

/** The tests that changed between two runs of the same runner. */
export function compareTests(before: TestReport, after: TestReport): ComparedTests {
  const [passedBefore, passedAfter] = [passedIn(before, after), passedIn(after, before)]
  return { fixed: failedIn(before).filter(passedAfter), broken: failedIn(after).filter(passedBefore) }
}
