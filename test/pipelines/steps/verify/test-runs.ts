import type { TestRun } from '../../../../src/pipelines/steps/verify/test-run.ts'
import { reportOf, type TestStatus } from '../../../../src/test-runners/reports/test-report.ts'

/** A run that ended so; without tests it reports none. */
export function testRun(
  exitCode: number | null,
  tests?: Record<string, TestStatus>,
  output: { stdout?: string; stderr?: string } = {},
): TestRun {
  const results = Object.entries(tests ?? {}).map(([id, status]) => ({ id, status }))
  return {
    run: {
      exitCode,
      stdout: '',
      stderr: '',
      timedOut: false,
      durationMs: 1,
      killedBy: null,
      ready: false,
      sandboxed: true,
      ...output,
    },
    report: tests === undefined ? null : reportOf(results),
  }
}
