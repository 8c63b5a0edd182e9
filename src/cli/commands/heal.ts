import { InvalidArgumentError, type Command } from 'commander'
import type { SelfHealAnswer } from '../../contract/generation-results.ts'
import type { JobAnswer } from '../../contract/job.ts'
import { canAsk, confirm } from '../ask.ts'
import type { Backend } from '../backend/backend.ts'
import { usageError } from '../cli-error.ts'
import { diffText } from '../../text/diff-text.ts'
import { EXIT } from '../exit-codes.ts'
import { resultText, usageText } from '../../text/generation-text.ts'
import { writeChanges } from '../files/keep-files.ts'
import type { Paint } from '../../text/paint.ts'
import { addPipelineOptions, bodyOf, numberOption, type PipelineOptions } from '../pipeline-options.ts'
import { hasChanges } from '../../contract/generation-results.ts'
import { runPipeline } from '../run-pipeline.ts'
import type { Run } from '../run.ts'
import { integerOption, type Session } from '../session.ts'
import { sourceOf, type Source, type SourceOptions } from '../files/source.ts'

interface HealOptions extends PipelineOptions, Omit<SourceOptions, 'select'> {
  entrypoint?: string
  maxAttempts?: number
  timeout?: number
  network?: boolean
  successExitCodes?: number[]
  readyPort?: number
  readyOutput?: string
}

/** The prompt when the user does not say what the program is for. */
const ANY_PROGRAM = 'A program that does what its files say, without an error.'

function exitCodes(text: string): number[] {
  const codes = text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .map(part => (/^\d{1,3}$/.test(part) ? Number(part) : NaN))
  if (codes.length === 0 || !codes.every(code => code <= 255)) {
    throw new InvalidArgumentError('Expected numbers from 0 to 255 with commas between them.')
  }
  return codes
}

function readyWhen({ readyPort: port, readyOutput: output }: HealOptions): object | undefined {
  if (port === undefined && output === undefined) return undefined
  const onPort = port === undefined ? {} : { port }
  return output === undefined ? onPort : { ...onPort, output }
}

/** Writes the changes into the folder, and returns whether it has them now. */
async function writeHealed(
  session: Session,
  backend: Backend,
  { id, result }: JobAnswer,
  { local }: Source,
  yes: boolean,
): Promise<boolean> {
  const { files, deleted, diff } = result as SelfHealAnswer
  if (local === null || !hasChanges({ files, deleted })) return false
  if (!yes) {
    session.terminal.stderr.write(`\n${diffText(diff, session.output.paintNote)}\n`)
    if (!(await confirm(session, 'Apply these changes?'))) return false
  }
  await writeChanges(backend, { ...local, id, files, deleted })
  return true
}

function healedText(
  job: JobAnswer,
  { isLocal, isWritten }: { isLocal: boolean; isWritten: boolean },
  paint: Paint,
): string {
  const result = job.result as SelfHealAnswer
  const kept = `${isLocal ? 'Nothing was written; the' : 'The'} job keeps the changes: faultline jobs diff ${job.id}`
  return [
    resultText(job, paint),
    ...(hasChanges(result) && !isWritten && result.branch === null ? [kept] : []),
    usageText(job, paint),
  ].join('\n')
}

/** Says what came of a job that succeeded, and returns the exit code; the job keeps the changes. */
export function reportHealed(
  { output }: Session,
  job: JobAnswer,
  written: { isLocal: boolean; isWritten: boolean } = { isLocal: false, isWritten: false },
): number {
  output.result(job, () => healedText(job, written, output.paint))
  return (job.result as SelfHealAnswer).healed ? EXIT.done : EXIT.failed
}

async function healFolder(session: Session, purpose: string | undefined, options: HealOptions): Promise<number> {
  const { yes = false, dryRun = false } = options
  const source = await sourceOf(session, options, { forRun: true })
  if (source.local !== null && !yes && !dryRun && !canAsk(session)) {
    throw usageError(
      'Changes to a folder are asked about before they are written, and there is no terminal to ask on.',
      'Add --yes.',
    )
  }
  const body = bodyOf(options, {
    prompt: purpose ?? ANY_PROGRAM,
    ...source.body,
    entrypoint: options.entrypoint,
    max_attempts: options.maxAttempts,
    timeout_s: options.timeout,
    network: options.network,
    success_exit_codes: options.successExitCodes,
    ready_when: readyWhen(options),
  })
  return session.withBackend(async backend => {
    return runPipeline(session, backend, { type: 'self_heal', body, options }, async job => {
      const { healed } = job.result as SelfHealAnswer
      const isWritten = healed && (await writeHealed(session, backend, job, source, yes))
      return reportHealed(session, job, { isLocal: source.local !== null, isWritten })
    })
  })
}

/** Adds `faultline heal`. */
export function addHeal(program: Command, run: Run): void {
  const command = program
    .command('heal [purpose]')
    .description('run a program and mend it until it works; the purpose says what it is for')
    .option('--folder <folder>', 'the program; default: the current folder')
    .option('--project <name>', 'an indexed project, at the head of its branch')
    .option('--repository <name>', 'of a project that holds several')
    .option('--job <id>', 'the files that an ended job keeps')
    .option('--entrypoint <path>', 'the script that bash runs; default: run.sh')
    .option('--max-attempts <n>', 'runs at most, 1 to 10', integerOption('--max-attempts', 1, 10))
    .option('--timeout <seconds>', 'of each run; default: SANDBOX_TIMEOUT_S', numberOption(0.1, 86_400))
    .option('--network', 'the program may fetch packages from the registries of npm and pip')
    .option('--success-exit-codes <codes>', 'what counts as working, as 0,2; default: 0,2', exitCodes)
    .option(
      '--ready-port <n>',
      'a program that goes on works when it listens on this port',
      integerOption('--ready-port', 1, 65_535),
    )
    .option('--ready-output <text>', 'a program that goes on works when it prints this text')
  addPipelineOptions(command)
    .addHelpText(
      'after',
      `
The program runs in a sandbox (bubblewrap), on a copy. Once it works, the changes to a folder are shown, asked about
and written. Exit code 1 when it does not work in the end; nothing is written then.

Examples:
  $ faultline heal
  $ faultline heal "Prints the total of cart.json" --folder shop --entrypoint bin/start.sh --max-attempts 3
  $ faultline heal --ready-port 8080 --yes --json`,
    )
    .action((purpose: string | undefined, options: HealOptions, command: Command) =>
      run(command, session => healFolder(session, purpose, options)),
    )
}
