import type { ChangedTests, Verification } from '../../../contract/verification.ts'
import { compareTests, failedIn } from '../../../test-runners/reports/compare.ts'
import { counted } from '../counted.ts'
import type { Settled } from './settle.ts'
import type { TestRun } from './test-run.ts'

/** Runs of one command before and after a change. */
export interface Compared {
  before: Settled
  /** Two where the first failed in a way that may be chance. */
  after: readonly TestRun[]
}

/** What there is to conclude from. */
export interface Evidence {
  /** The test of the trace; null where none could be named. */
  narrow: Compared | null
  whole: Compared
  /** The whole with the changed tests as they were; null where the change touched none. */
  oldTests: TestRun | null
}

/** A label, why it is no more than that, and the tests that speak for it. */
interface Conclusion {
  verification: Verification
  verificationReason: string | null
  tests: ChangedTests
}

/** Ids that are listed of each kind. */
const MAX_LISTED = 500

/** Whether a run after the change ended with exit code 0. */
export const passes = ({ after }: Compared): boolean => after.some(({ run }) => run.exitCode === 0)

/** Whether the same passes and fails after the change: in a run without a report, or by what failed before. */
const passesNowAndThen = (compared: Compared): boolean =>
  passes(compared) &&
  compared.after.some(({ run, report }) => {
    if (run.exitCode === 0) return false
    return report === null || failedIn(report).some(id => compared.before.failed.includes(id))
  })

const ranIn = ({ report }: TestRun): number | null => (report === null ? 0 : report.ran)

/** How many tests ran before the change, where fewer do in a run after it; null where none are missed. */
export function missedTests({ before, after }: Compared): { then: number; now: number } | null {
  const then = before.shown.report?.ran ?? 0
  const counts = after.map(ranIn)
  const now = Math.min(then, ...counts.filter(ran => ran !== null))
  return now < then ? { then, now } : null
}

/** The same in runs that pass. */
const missed = ({ before, after }: Compared): ReturnType<typeof missedTests> =>
  missedTests({ before, after: after.filter(({ run }) => run.exitCode === 0) })

const turned = (compared: Compared): boolean => compared.before.state === 'failed' && passes(compared)

/** Tests that changed between all runs before and all runs after. */
export function comparedTests({ before, after }: Compared): ChangedTests {
  const compared = after.map(({ report }) =>
    before.shown.report === null || report === null
      ? { fixed: [], broken: [] }
      : compareTests(before.shown.report, report),
  )
  const inEach = (lists: readonly string[][]): string[] =>
    (lists[0] ?? []).filter(id => lists.every(list => list.includes(id)))
  const broken = compared.map(tests => tests.broken)
  const always = new Set(inEach(broken))
  const flaky = new Set([...before.flaky, ...broken.flat().filter(id => !always.has(id))])
  return {
    fixed: inEach(compared.map(({ fixed }) => fixed)).filter(id => before.failed.includes(id) && !flaky.has(id)),
    broken: [...always].filter(id => !flaky.has(id)),
    flaky: [...flaky],
  }
}

const joined = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])].slice(0, MAX_LISTED)

function allTests({ narrow, whole }: Evidence): ChangedTests {
  const [of, alone] = [comparedTests(whole), narrow === null ? null : comparedTests(narrow)]
  return {
    fixed: joined(of.fixed, alone?.fixed ?? []),
    broken: joined(of.broken, alone?.broken ?? []),
    flaky: joined(of.flaky, alone?.flaky ?? []),
  }
}

/** Tests that fail after the change as they did before; null where it is not known which fail. */
function remaining({ before, after }: Compared): string[] | null {
  const last = after.at(-1)?.report ?? null
  const isKnown = before.shown.report !== null && after.every(({ run }) => run.exitCode !== null)
  if (!isKnown || last === null || (!last.listsPassed && last.ran === null)) return null
  const failed = failedIn(last)
  const known = new Set([...before.failed, ...before.flaky])
  return failed.length > 0 && failed.every(id => known.has(id)) ? failed : null
}

type Label = Omit<Conclusion, 'tests'>

const partly = (verificationReason: string): Label => ({ verification: 'partially_verified', verificationReason })
const not = (verificationReason: string): Label => ({ verification: 'unverified', verificationReason })

/** Where the whole command does not pass after the change. */
function labelOfFailing({ narrow, whole }: Evidence, { fixed }: ChangedTests): Label {
  const killedBy = whole.after.at(-1)?.run.killedBy ?? null
  if (killedBy !== null) {
    const limits = 'SANDBOX_TIMEOUT_S and SANDBOX_MEMORY_MB'
    return not(`After the change the command was ended for its ${killedBy}; ${limits} are its limits.`)
  }
  const left = remaining(whole)
  const helped = fixed.length > 0 || (narrow !== null && turned(narrow))
  if (left === null || !helped) return not('The command does not pass after the change.')
  return partly(
    `What failed because of the fault passes now; ${counted(left.length, 'other test')} failed before, too.`,
  )
}

/** Where the whole command passes after the change. */
function labelOfPassing({ narrow, whole, oldTests }: Evidence): Label {
  if (oldTests !== null && oldTests.run.exitCode !== 0) {
    return partly('The change edited tests, and in their old form they do not pass after it.')
  }
  if ([whole, narrow].some(one => one !== null && passesNowAndThen(one))) {
    return partly('After the change what failed before passes now and then.')
  }
  const fewer = [whole, narrow].map(one => (one === null ? null : missed(one))).find(one => one !== null)
  if (fewer !== undefined) {
    return partly(
      `Exit code 0 says little: ${counted(fewer.now, 'test')} ran after the change, ${fewer.then} before it.`,
    )
  }
  const hasTurned = turned(whole) || (narrow !== null && turned(narrow))
  if (hasTurned) return { verification: 'verified', verificationReason: null }
  if (whole.before.state === 'flaky' || narrow?.before.state === 'flaky') {
    return partly('Without the change the tests fail now and then, so that a run that passes shows nothing.')
  }
  return partly('The command passes before the change, too: nothing broke, and nothing was shown to be mended.')
}

/**
 * What runs before and after a change say of it. Exit codes decide; the tests of reports say what broke, and what was
 * broken before. A flaky test counts for nothing.
 */
export function conclude(evidence: Evidence): Conclusion {
  const tests = allTests(evidence)
  const { narrow, whole } = evidence
  const broken = tests.broken.length
  if (broken > 0) return { ...not(`${counted(broken, 'test')} that passed before the change fail after it.`), tests }
  if (narrow !== null && narrow.before.state === 'failed' && !passes(narrow)) {
    return { ...not('The test that shows the fault still fails.'), tests }
  }
  return { ...(passes(whole) ? labelOfPassing(evidence) : labelOfFailing(evidence, tests)), tests }
}
