import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import type { FixAnswer } from '../../contract/generation-results.ts'
import type { JobAnswer } from '../../contract/job.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { resultText, usageText } from '../../text/generation-text.ts'
import { stackTraceFrom } from '../input.ts'
import { onlyProject } from '../only-project.ts'
import type { Paint } from '../../text/paint.ts'
import {
  addEditOptions,
  addPipelineOptions,
  bodyOf,
  type EditOptions,
  type PipelineOptions,
} from '../pipeline-options.ts'
import { runPipeline } from '../run-pipeline.ts'
import type { Run } from '../run.ts'
import { integerOption, type Session } from '../session.ts'

interface FixOptions extends PipelineOptions, EditOptions {
  project?: string
  repository?: string
  verify?: string
  reproduce?: boolean
  candidates?: number
  review?: 'ask' | 'auto'
  push?: boolean
  draft?: boolean
}

/** The trace to fix: a text with a line break, or one with blanks that is no file, is the trace itself. */
async function traceFrom(session: Session, given: string | undefined): Promise<string> {
  const isText =
    given !== undefined &&
    (given.includes('\n') || (/\s/.test(given.trim()) && !existsSync(resolve(session.cwd, given))))
  if (!isText) return stackTraceFrom(session, given)
  if (given.trim() === '') throw usageError('The trace is empty.')
  return given
}

const isDone = ({ decision, verification, baseline }: FixAnswer): boolean =>
  decision !== 'reject' && verification !== 'could_not_run' && !(baseline !== null && verification === 'unverified')

function fixedText(job: JobAnswer, paint: Paint): string {
  const { branch } = job.result as FixAnswer
  return [
    resultText(job, paint),
    usageText(job, paint),
    ...(branch === null ? [] : [paint('dim', `Next: faultline jobs diff ${job.id} | git apply`)]),
  ].join('\n')
}

/** Says what came of a job that succeeded, and returns the exit code. */
export function reportFix({ output }: Session, job: JobAnswer): number {
  output.result(job, () => fixedText(job, output.paint))
  return isDone(job.result as FixAnswer) ? EXIT.done : EXIT.failed
}

async function fix(session: Session, trace: string | undefined, options: FixOptions): Promise<number> {
  const stacktrace = await traceFrom(session, trace)
  return session.withBackend(async backend => {
    const body = bodyOf(options, {
      stacktrace,
      project_name: options.project ?? (await onlyProject(backend)),
      repository: options.repository,
      verify: options.verify === undefined ? undefined : { command: options.verify },
      reproduce: options.reproduce,
      candidates: options.candidates,
      review: options.review,
      max_refinements: options.maxRefinements,
      allow_partial: options.allowPartial,
      allow_paths: options.allowPaths,
      push: options.push,
      draft: options.draft === false ? false : undefined, // commander says true where nothing was said
    })
    return runPipeline(session, backend, { type: 'fix', body, options }, job => reportFix(session, job))
  })
}

/** Adds `faultline fix`. */
export function addFix(program: Command, run: Run): void {
  const command = program
    .command('fix [trace]')
    .description('from a stack trace to a checked change of the code behind it, on a branch of its own')
    .option('--project <name>', 'project whose code is meant; may be left out when there is only one')
    .option('--repository <name>', 'of a project that holds several')
    .option(
      '--verify <command>',
      "run in the sandbox before and after the change; says whether it helped; default: the project's checks.test",
    )
    .option('--reproduce', 'have a test written first that fails as the trace says, and commit it before the fix')
    .option(
      '--candidates <n>',
      'how often the model is asked anew, 1 to 5; the change that the tests say most for is taken',
      integerOption('--candidates', 1, 5),
    )
    .addOption(
      new Option('--review <how>', 'ask about the changes, or take them as they are; default: ask').choices([
        'ask',
        'auto',
      ]),
    )
  addEditOptions(
    command,
    'further files that may be changed, after the trace: workflows, lock files, files beyond the trace',
  )
    .option('--push', 'push the branch to the remote, and open a pull request where the server has a token')
    .option('--no-draft', 'open the pull request as one that may be merged')
  addPipelineOptions(command)
    .addHelpText(
      'after',
      `
The trace is a file, a text in quotes, or standard input (- or nothing): a stack trace or a whole log. The code is that
of the project's commit, without what is not committed on a disk. What is approved is committed to faultline/<job id>
in the clone. Exit code 1 when the tests do not pass after the change, or could not be run.

Examples:
  $ npm test 2>&1 | faultline fix - --project shop --yes
  $ faultline fix crash.log --project shop --verify "python3 -m unittest"
  $ faultline fix crash.log --verify "npm test" --review auto --push --json`,
    )
    .action((trace: string | undefined, options: FixOptions, command: Command) =>
      run(command, session => fix(session, trace, options)),
    )
}
