import type { ProgramRun } from '../../../contract/generation-results.ts'
import type { VerifiedRun } from '../../../contract/verification.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import { goOutput } from '../../../test-runners/reports/go-json.ts'
import { joinReports, readOutput, readReportFile } from '../../../test-runners/reports/read-report.ts'
import type { TestReport } from '../../../test-runners/reports/test-report.ts'
import type { ReportingCommand } from '../../../test-runners/with-report.ts'
import type { BaseFiles, Changes } from '../base/base-files.ts'
import { requireLayer, type EnvironmentState } from '../environment.ts'
import { inWorkspace, runPrinting, storedOutput, type RunDeps } from '../program/run-program.ts'

/** What running tests needs. */
export interface TestRunDeps {
  sandbox: RunDeps & Pick<Sandbox, 'collect'>
  redact: (text: string) => string
}

/** What a command runs on. */
export interface Testbed {
  base: BaseFiles
  /** What is installed for it, asked before each run: meanwhile it may have had to go. */
  needEnvironment: () => Promise<EnvironmentState>
}

/** One run of tests, as a step keeps it. */
export type TestRun = {
  run: ProgramRun
  /** Null where nothing said which tests ran. */
  report: TestReport | null
}

/** A command that checks a change. */
export type CheckingCommand = ReportingCommand & Pick<VerifiedRun, 'kind'>

/** Reports are read between two requests of other clients; these take a tenth of a second. */
const MAX_REPORT_BYTES = 4 * 1_048_576
/** Folders of dependencies, whose own reports are none of the project's. */
const IGNORED = ['node_modules', '.git', '.venv', 'venv', 'vendor', 'site-packages']

/** Ids without secrets; messages are dropped, the output has them. */
function kept(report: TestReport, redact: TestRunDeps['redact']): TestReport {
  const ids = redact(report.tests.map(({ id }) => id).join('\n')).split('\n')
  const isWhole = ids.length === report.tests.length
  const cleanId = (id: string, index: number): string => (isWhole && ids[index]) || redact(id)
  const tests = report.tests.map(({ id, status }, index) => ({ id: cleanId(id, index), status }))
  return { ...report, tests }
}

/** What the runner wrote to files that the commit does not have. */
async function writtenReport(
  { sandbox }: Pick<TestRunDeps, 'sandbox'>,
  workspace: string,
  { reports, tracked }: { reports: readonly string[]; tracked: readonly string[] },
): Promise<TestReport | null> {
  if (reports.length === 0) return null
  const { files } = await sandbox.collect(workspace, { ignore: IGNORED, only: reports })
  const known = new Set(tracked)
  const read: TestReport[] = []
  let room = MAX_REPORT_BYTES
  for (const { path, content } of files) {
    room -= content.length
    const report = room < 0 || known.has(path) ? null : readReportFile(content.toString())
    if (report !== null) read.push(report)
  }
  // a part of the files would say that the tests of the others did not run
  return room < 0 ? null : joinReports(read)
}

/**
 * Runs a command in a workspace of its own, within a step, and reads what it says of its tests.
 *
 * @throws {FaultlineError} SANDBOX_UNAVAILABLE, ENVIRONMENT_FAILED, BAD_PATH.
 */
export async function runTests(
  job: JobContext,
  { sandbox, redact }: TestRunDeps,
  { base, needEnvironment, changes, checking }: Testbed & { changes: Changes; checking: CheckingCommand },
): Promise<TestRun> {
  const { command, env, reports } = checking
  const layer = requireLayer(await needEnvironment())
  return inWorkspace(job, sandbox, { base, changes }, async workspace => {
    const argv = ['/bin/bash', '-c', command]
    const { run, printed } = await runPrinting(job, sandbox, { workspace, argv, env, layer, network: 'none' })
    const tracked = await base.paths()
    const report = (await writtenReport({ sandbox }, workspace, { reports, tracked })) ?? readOutput(printed)
    return {
      run: { ...run, stdout: storedOutput(goOutput(printed.stdout)) },
      report: report === null ? null : kept(report, redact),
    }
  })
}
