import { failedIn } from '../../../test-runners/reports/compare.ts'
import type { TestRun } from './test-run.ts'

/** What the runs of one command on one state of the files come to. */
export type Settled = {
  state: 'passed' | 'failed' | 'flaky'
  /** The run that is shown: the first one. */
  shown: TestRun
  /** Tests that failed in each run. */
  failed: string[]
  /** Tests that failed in some. */
  flaky: string[]
}

/** A failure has to come twice; where it does not, a third run decides. */
const MAX_RUNS = 3

const passed = ({ run }: TestRun): boolean => run.exitCode === 0
const failures = ({ report }: TestRun): string[] => (report === null ? [] : failedIn(report))

/** Whether two runs failed in the same way: the same tests, or without any the same exit code. */
function isSameFailure(a: TestRun, b: TestRun): boolean {
  if (passed(a) || passed(b)) return false
  const [inA, inB] = [failures(a), failures(b)]
  if (inA.length === 0 && inB.length === 0) return a.run.exitCode === b.run.exitCode
  return inA.length === inB.length && new Set([...inA, ...inB]).size === inA.length
}

/**
 * What runs of the same command on the same files say together: a failure counts when it came twice. When the second
 * run ends differently, a third one is made, and what differs among the three is flaky.
 *
 * @returns Null where another run is needed.
 */
export function settle(runs: readonly TestRun[]): Settled | null {
  const [first, second] = runs
  if (first === undefined) return null
  if (passed(first)) return { state: 'passed', shown: first, failed: [], flaky: [] }
  if (second === undefined) return null
  const isCertain = isSameFailure(first, second)
  if (!isCertain && runs.length < MAX_RUNS) return null
  const lists = runs.map(failures)
  const all = [...new Set(lists.flat())]
  const failed = all.filter(id => lists.every(list => list.includes(id)))
  const flaky = all.filter(id => !failed.includes(id))
  const isRed = runs.every(run => !passed(run)) && (failed.length > 0 || all.length === 0)
  return { state: isRed ? 'failed' : 'flaky', shown: first, failed, flaky }
}
