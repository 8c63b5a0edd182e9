import type { JobAnswer } from '../contract/job.ts'
import { jobText } from '../text/job-text.ts'
import { withCommands } from './advice.ts'
import { reportBisected } from './commands/bisect.ts'
import { reportClone } from './commands/clone.ts'
import { reportFeature } from './commands/feature.ts'
import { reportFix } from './commands/fix.ts'
import { reportGenerated } from './commands/generate.ts'
import { reportHealed } from './commands/heal.ts'
import { reportImproved } from './commands/improve.ts'
import { reportTask } from './run-task.ts'
import { EXIT } from './exit-codes.ts'
import { reportFailure, type Session } from './session.ts'

type Report = (session: Session, job: JobAnswer) => number

function reportPlain({ output }: Session, job: JobAnswer): number {
  output.result(job, () => jobText(withCommands(job), output.paint))
  return EXIT.done
}

const REPORTS = new Map<string, Report>([
  ['bisect', reportBisected],
  ['clone', reportClone],
  ['feature', reportFeature],
  ['fix', reportFix],
  ['generate', reportGenerated],
  ['improve', reportImproved],
  ['self_heal', reportHealed],
  ['task', reportTask],
])

/**
 * Prints what came of an ended job as the command would that makes such jobs, and returns its exit code. Nothing is
 * written: where the files belong is known to that command alone.
 *
 * @throws {CliError} Without `--json`, for a job that did not succeed.
 */
export function reportEnded(session: Session, job: JobAnswer): number {
  const failed = reportFailure(session, job)
  if (failed !== null) return failed
  const report = REPORTS.get(job.type) ?? reportPlain
  return report(session, job)
}
