import type { Command } from 'commander'
import type { BisectAnswer } from '../../contract/bisect.ts'
import type { JobAnswer } from '../../contract/job.ts'
import { shellArgument } from '../../core/shell-word.ts'
import { resultText } from '../../text/generation-text.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { bodyOf, numberOption } from '../pipeline-options.ts'
import { runPipeline } from '../run-pipeline.ts'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'

interface BisectOptions {
  good: string
  bad?: string
  command?: string
  repository?: string
  timeout?: number
}

/** What bash is to run: the option, or the words after `--`, each of them one word for bash, too. */
function commandOf({ command }: BisectOptions, words: readonly string[]): string {
  if (command !== undefined && words.length > 0) {
    throw usageError('The command is given twice: with --command and after --.', 'Leave one of them out.')
  }
  if (command !== undefined) return command
  if (words.length === 0) {
    throw usageError(
      'There is no command that tells a good commit from a bad one.',
      'Add it at the end, as in: -- pytest -x tests/test_cart.py',
    )
  }
  return words.map(shellArgument).join(' ')
}

/** Says what came of a job that succeeded, and returns the exit code. */
export function reportBisected({ output }: Session, job: JobAnswer): number {
  output.result(job, () => resultText(job, output.paint))
  return (job.result as BisectAnswer).first_bad === null ? EXIT.failed : EXIT.done
}

async function bisect(
  session: Session,
  name: string,
  words: readonly string[],
  options: BisectOptions,
): Promise<number> {
  const body = bodyOf(
    {},
    {
      project_name: name,
      repository: options.repository,
      command: commandOf(options, words),
      good: options.good,
      bad: options.bad,
      timeout_s: options.timeout,
    },
  )
  return session.withBackend(async backend =>
    runPipeline(session, backend, { type: 'bisect', body, options: {} }, job => reportBisected(session, job)),
  )
}

/** Adds `faultline bisect`. */
export function addBisect(program: Command, run: Run): void {
  program
    .command('bisect <name> [words...]')
    .description('find the commit of a project that broke something, by running a command at some of them')
    .requiredOption('--good <ref>', 'commit, tag or branch at which the command succeeds')
    .option('--bad <ref>', 'the same at which it fails; default: the indexed commit')
    .option('--command <text>', 'what bash runs, in place of the words after --')
    .option('--repository <name>', 'of a project that holds several')
    .option('--timeout <seconds>', 'of each run; default: SANDBOX_TIMEOUT_S', numberOption(0.1, 86_400))
    .addHelpText(
      'after',
      `
The command runs in a sandbox (bubblewrap), at the top of the repository, without a network. Its exit code says how the
commit is: 0 good, 125 skip it, any other below 128 bad. Exit code 1 when only skipped commits are left.

Examples:
  $ faultline bisect shop --good v1.2.0 -- python3 -m unittest -q
  $ faultline bisect shop --good v1.2.0 --bad main --command "make || exit 125; ./shop --check"
  $ faultline bisect shop --good 4be1c0ffee --json -- npm test`,
    )
    .action((name: string, words: string[], options: BisectOptions, command: Command) =>
      run(command, session => bisect(session, name, words, options)),
    )
}
