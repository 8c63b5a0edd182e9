import { readGoJson } from './go-json.ts'
import { readJUnit } from './junit.ts'
import { readRunnerJson } from './runner-json.ts'
import { readRunnerText } from './runner-text.ts'
import { readTap } from './tap.ts'
import { reportOf, type TestReport } from './test-report.ts'

// eslint-disable-next-line no-control-regex -- colours of terminals
const COLOURS = /\u001B\[[\d;]{0,20}m/g

/** What a report says that a runner wrote to a file; null for a file that is none. */
export const readReportFile = (text: string): TestReport | null =>
  readJUnit(text) ?? readRunnerJson(text) ?? readTap(text) ?? readGoJson(text)

const withoutColours = (text: string): string => text.replace(COLOURS, '')

/** What `jest --json` or `rspec --format json` print among other lines: all of it on one line. */
function readJsonLine(text: string): TestReport | null {
  const line = text.split('\n').findLast(one => /^\{.*"(?:testResults|examples)":\[/.test(one))
  const report = line === undefined ? null : readRunnerJson(line)
  return report?.tests.length === 0 ? null : report // a line of the program itself may look like it
}

/**
 * What a run's own output says of its tests: TAP, events of go, the JSON of a runner, or its words; null where it is
 * unclear.
 *
 * @param output.isCut - Whether a part of it is missing: what stood there is not known.
 */
export function readOutput(output: { stdout: string; stderr: string; isCut: boolean }): TestReport | null {
  const [stdout, stderr] = [withoutColours(output.stdout), withoutColours(output.stderr)]
  const report = readTap(stdout) ?? readGoJson(stdout) ?? readJsonLine(stdout) ?? readRunnerText(`${stdout}\n${stderr}`)
  return report === null || !output.isCut ? report : { ...report, listsPassed: false, ran: null }
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
