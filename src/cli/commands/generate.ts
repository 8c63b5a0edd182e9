import { readFile } from 'node:fs/promises'
import { basename, relative, resolve, sep } from 'node:path'
import { Option, type Command } from 'commander'
import type { GenerateAnswer } from '../../contract/generation-results.ts'
import type { JobAnswer } from '../../contract/job.ts'
import { safePath } from '../../core/safe-path.ts'
import { decodeText } from '../../core/source-text.ts'
import { canAsk } from '../ask.ts'
import type { Backend } from '../backend/backend.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { outcomeText, resultText, usageText } from '../../text/generation-text.ts'
import { listed } from '../../text/listed.ts'
import { promptFrom } from '../input.ts'
import { writeJobFiles } from '../files/keep-files.ts'
import type { Paint } from '../../text/paint.ts'
import { addPipelineOptions, bodyOf, type PipelineOptions } from '../pipeline-options.ts'
import { runPipeline } from '../run-pipeline.ts'
import type { Run } from '../run.ts'
import { integerOption, type Session } from '../session.ts'
import { count } from '../../text/table.ts'
import { needFolder } from '../files/write-files.ts'

interface GenerateOptions extends PipelineOptions {
  promptFile?: string
  output: string
  force?: boolean
  clarify?: boolean
  lite?: boolean
  maxQuestions?: number
  file?: string[]
  execute?: 'ask' | 'always' | 'never'
  selfHeal?: boolean
  network?: boolean
}

/** When to run the program, and why not where a person who asks for one expects it. */
interface Execution {
  execute: GenerateOptions['execute']
  /** Null where it is run, or nobody wants it to be. */
  whyNot: string | null
}

/**
 * When to run the program: nobody is asked where nobody can answer or execution is impossible, so that the program can
 * be read first.
 */
async function whenToExecute(
  session: Session,
  backend: Backend,
  { execute, yes, selfHeal, dryRun }: GenerateOptions,
): Promise<Execution> {
  if (execute !== undefined || selfHeal === true || dryRun === true) return { execute, whyNot: null }
  if (yes === true) return { execute: 'always', whyNot: null }
  if (!canAsk(session)) {
    return {
      execute: 'never',
      whyNot: 'there is no terminal to ask on. --yes runs it in the sandbox, --execute never asks for the files alone.',
    }
  }
  const { sandbox } = await backend.ready()
  if (sandbox.available) return { execute: 'ask', whyNot: null }
  const fix = sandbox.fix === null ? '' : ` ${sandbox.fix}`
  return { execute: 'never', whyNot: `${sandbox.reason ?? 'there is no sandbox'}.${fix}` }
}

/** Reads the files to send. Below the current folder a file keeps its path, elsewhere only its name. */
async function givenFiles({ cwd }: Session, paths: string[]): Promise<Record<string, string> | undefined> {
  const files = new Map<string, string>()
  for (const given of paths) {
    const path = resolve(cwd, given)
    const below = relative(cwd, path).split(sep).join('/')
    const name = below.startsWith('../') ? basename(path) : below
    const text = decodeText(
      await readFile(path).catch((error: NodeJS.ErrnoException) => {
        throw usageError(
          `The file ${JSON.stringify(given)} of --file cannot be read: ${error.code ?? error.message}.`,
          'The prompt comes before --file.',
        )
      }),
    )
    if (text === null || safePath(name) !== name) {
      throw usageError(`The file ${JSON.stringify(given)} of --file is no text, or has no name that can be sent.`)
    }
    if (files.has(name)) throw usageError(`Two files of --file would be ${JSON.stringify(name)}.`)
    files.set(name, text)
  }
  return files.size === 0 ? undefined : Object.fromEntries(files)
}

const hasFailed = ({ run, heal }: GenerateAnswer): boolean =>
  heal === null ? run !== null && run.exit_code !== 0 : !heal.healed

function generatedText(job: JobAnswer, output: string, paint: Paint): string {
  const result = job.result as GenerateAnswer
  const names = listed(result.files.map(({ path }) => path))
  return [
    `${paint('green', 'Wrote')} ${count(result.files.length, 'file')} to ${paint('bold', output)}: ${names}`,
    outcomeText(result, paint),
    usageText(job, paint),
    paint(
      'dim',
      `Next: faultline heal --folder ${output} runs it in the sandbox; faultline improve "…" --folder ${output}`,
    ),
  ].join('\n')
}

/** Says what came of a job that succeeded and keeps its files, and returns the exit code. */
export function reportGenerated({ output }: Session, job: JobAnswer): number {
  output.result(job, () =>
    [
      resultText(job, output.paint),
      usageText(job, output.paint),
      output.paint('dim', `Next: faultline jobs files ${job.id} --output FOLDER`),
    ].join('\n'),
  )
  return hasFailed(job.result as GenerateAnswer) ? EXIT.failed : EXIT.done
}

function modeOf({ clarify, lite }: GenerateOptions): 'clarified' | 'lite' | undefined {
  if (clarify === true) return 'clarified'
  return lite === true ? 'lite' : undefined
}

async function generate(session: Session, given: string | undefined, options: GenerateOptions): Promise<number> {
  if (options.clarify === true && options.lite === true) throw usageError('--clarify and --lite exclude each other.')
  if (options.maxQuestions !== undefined && options.clarify !== true) {
    throw usageError('--max-questions belongs to --clarify.', 'Add --clarify.')
  }
  const folder = await needFolder(options.output, session.cwd, { mayBeMissing: true })
  const files = await givenFiles(session, options.file ?? [])
  const prompt = await promptFrom(session, {
    given,
    file: options.promptFile,
    question: 'What program do you want?',
    example: 'faultline generate "A Python program that prints the first 20 prime numbers"',
  })
  return session.withBackend(async backend => {
    const { execute, whyNot } = await whenToExecute(session, backend, options)
    if (whyNot !== null) session.output.warn(`The program will not be run: ${whyNot}`)
    const body = bodyOf(options, {
      prompt,
      mode: modeOf(options),
      files,
      execute,
      self_heal: options.selfHeal,
      network: options.network,
      max_questions: options.maxQuestions,
    })
    return runPipeline(session, backend, { type: 'generate', body, options }, async job => {
      const result = job.result as GenerateAnswer
      await writeJobFiles(
        session,
        backend,
        job.id,
        result.files.map(({ path }) => path),
        { folder, name: options.output, force: options.force === true },
      )
      session.output.result(job, () => generatedText(job, options.output, session.output.paint))
      return whyNot !== null || hasFailed(result) ? EXIT.failed : EXIT.done
    })
  })
}

/** Adds `faultline generate`. */
export function addGenerate(program: Command, run: Run): void {
  const command = program
    .command('generate [prompt]')
    .description('write a program from a prompt, with a script that runs it, and run it')
    .option('--prompt-file <file>', 'read the prompt from a file; - or no prompt reads standard input')
    .option('--output <folder>', 'where the program is written', 'generated')
    .option('--force', 'overwrite files there that differ; they are asked about otherwise, also with --yes')
    .option('--clarify', 'the model first asks what is unclear, one question after the other')
    .option('--lite', 'the shortest instructions, for small models')
    .option('--max-questions <n>', 'of --clarify, 1 to 10', integerOption('--max-questions', 1, 10))
    .option('--file <paths...>', 'files that the model is shown and may change, after the prompt')
    .addOption(
      new Option('--execute <when>', 'run the program: after showing the script (default), at once, or not').choices([
        'ask',
        'always',
        'never',
      ]),
    )
    .option('--self-heal', 'run it and mend it until it works')
    .option('--network', 'the program may fetch packages from the registries of npm and pip')
  addPipelineOptions(command)
    .addHelpText(
      'after',
      `
The program runs in a sandbox (bubblewrap), never on this machine itself; what it prints is shown on stderr.
Without a terminal nobody can be asked, so that without --yes it is not run; --execute never asks for nothing else.
Exit code 1 when the program was run and failed, or could not be run; its files are written all the same.

Examples:
  $ faultline generate "A Python program that prints the first 20 prime numbers"
  $ faultline generate --prompt-file snake.md --output snake --clarify
  $ echo "A word counter in Node, with tests" | faultline generate --self-heal --yes --json`,
    )
    .action((prompt: string | undefined, options: GenerateOptions, command: Command) =>
      run(command, session => generate(session, prompt, options)),
    )
}
