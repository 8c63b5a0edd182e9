import { readGoJson } from './go-json.ts'
import { readJUnit } from './junit.ts'
import { readRunnerJson } from './runner-json.ts'
import { readRunnerText } from './runner-text.ts'
import { readTap } from './tap.ts'
import { reportOf, type TestReport } from './test-report.ts'

/** Both ends of a longer output are kept with such a line between: what stood there is not known. */
const CUT = /^\[… \d+ characters left out …\]$/m
// eslint-disable-next-line no-control-regex -- colours of terminals
const COLOURS = /\u001B\[[\d;]{0,20}m/g

/** What a report says that a runner wrote to a file; null for a file that is none. */
export const readReportFile = (text: string): TestReport | null =>
  readJUnit(text) ?? readRunnerJson(text) ?? readTap(text) ?? readGoJson(text)

const withoutColours = (text: string): string => text.replace(COLOURS, '')

/** What a run's own output says of its tests: TAP, events of go, or the runner's words; null where it is unclear. */
export function readOutput(output: { stdout: string; stderr: string }): TestReport | null {
  const [stdout, stderr] = [withoutColours(output.stdout), withoutColours(output.stderr)]
  const report = readTap(stdout) ?? readGoJson(stdout) ?? readRunnerText(`${stdout}\n${stderr}`)
  const isCut = CUT.test(stdout) || CUT.test(stderr)
  return report === null || !isCut ? report : { ...report, listsPassed: false, ran: null }
}

/** Several reports of one run as one: surefire and gradle write a file for each class. */
export function joinReports(reports: readonly TestReport[]): TestReport | null {
  if (reports.length === 0) return null
  return reportOf(
    reports.flatMap(({ tests }) => tests),
    {
      listsPassed: reports.every(({ listsPassed }) => listsPassed),
      ran: reports.reduce<number | null>((sum, { ran }) => (sum === null || ran === null ? null : sum + ran), 0),
    },
  )
}
