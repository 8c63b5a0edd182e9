import type { DryRunAnswer } from '../contract/dry-run.ts'
import type { JobAnswer } from '../contract/job.ts'
import type { JsonObject } from '../core/job.ts'
import type { Backend, PipelineType } from './backend/backend.ts'
import { CliError } from './cli-error.ts'
import { converse, type ConverseOptions } from './converse.ts'
import { EXIT } from './exit-codes.ts'
import type { PipelineOptions } from './pipeline-options.ts'
import { reportFailure, type Session } from './session.ts'
import { count } from '../text/table.ts'
import { printable } from '../text/terminal-text.ts'

/** What is asked of a pipeline. */
interface PipelineCall {
  type: PipelineType
  body: JsonObject
  options: Pick<PipelineOptions, 'dryRun' | 'yes'>
  /** As `converse` takes it. */
  stateOf?: ConverseOptions['stateOf']
  /** What is said after Ctrl-C, which has cancelled the job. */
  interruption?: (job: JobAnswer) => CliError
}

/** Prints what `--dry-run` tells. */
export function printEstimate({ output }: Session, estimate: DryRunAnswer): void {
  output.result(estimate, () => {
    const messages = estimate.messages.map(
      ({ role, content }) => `${output.paint('bold', `--- ${role} ---`)}\n${printable(content)}`,
    )
    const price = estimate.usd === null ? '' : `, ${estimate.usd.toFixed(4)} USD`
    const cost = `${count(estimate.tokens, 'token')}${price}; no model was asked.`
    return [...messages, output.paint('dim', cost)].join('\n\n')
  })
}

/**
 * Prints what `--dry-run` tells, or makes the job and talks with it to its end.
 *
 * @param report - Says what came of a job that succeeded, and returns the exit code.
 * @returns The exit code.
 * @throws {CliError} As `converse`, and without `--json` for a job that did not succeed.
 */
export async function runPipeline(
  session: Session,
  backend: Backend,
  { type, body, options: { dryRun = false, yes = false }, stateOf, interruption }: PipelineCall,
  report: (job: JobAnswer) => number | Promise<number>,
): Promise<number> {
  if (dryRun) {
    printEstimate(session, await backend.dryRun(type, body))
    return EXIT.done
  }
  const started = await backend.startPipeline(type, body)
  const job = await converse(session, backend, started, { yes, stateOf }).catch((error: unknown) => {
    const isInterrupted = error instanceof CliError && error.code === 'INTERRUPTED'
    throw isInterrupted && interruption !== undefined ? interruption(started) : error
  })
  return reportFailure(session, job) ?? report(job)
}
