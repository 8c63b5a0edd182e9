import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { ResolutionAnswer } from '../../contract/resolution.ts'
import type { ResolveInput } from '../../contract/resolution.ts'
import type { Backend } from '../backend/backend.ts'
import { usageError } from '../cli-error.ts'
import { converse } from '../converse.ts'
import { EXIT } from '../exit-codes.ts'
import { placeOf, resolveFaults } from '../../core/faults.ts'
import { appendStepSummary } from '../files/step-summary.ts'
import { stackTraceFrom } from '../input.ts'
import { showPaged } from '../pager.ts'
import type { Run } from '../run.ts'
import { findRepository } from '../files/repository-here.ts'
import { indexHere, namedRepository, type RepoOptions } from '../index-here.ts'
import { CI_FORMATS, ciReport, type CiFormat, type CiReport } from '../../text/ci/report.ts'
import { answerHeading, answerText, locatedText, nextText, type NextHints } from '../../text/resolution-text.ts'
import { integerOption, jobFailure, type Session } from '../session.ts'
import { count, shortCommit } from '../../text/table.ts'
import { createPrintableStream } from '../../text/terminal-text.ts'
import { countUncommitted } from '../files/uncommitted.ts'

interface ResolveOptions extends RepoOptions {
  mode?: 'answer' | 'context'
  maxContextTokens?: number
  full?: boolean
  ref?: string
  exception?: number
  locale?: string
  model?: string
  investigate?: boolean
  maxSteps?: number
  budgetTokens?: number
  format?: Format
  exitCode?: boolean
}

const FORMATS = ['text', 'json', ...CI_FORMATS] as const

/** @throws {InvalidArgumentError} There is no such format. */
function readFormat(text: string): (typeof FORMATS)[number] {
  const format = FORMATS.find(name => name === text)
  if (format !== undefined) return format
  const why =
    text === 'junit' ? 'There is no junit format: a fault is no test case, and CI has that report already. ' : ''
  throw new InvalidArgumentError(`${why}Allowed choices are ${FORMATS.join(', ')}.`)
}
type Format = (typeof FORMATS)[number]

const LOCALE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/ // as POST /resolve checks it

function locale(text: string): string {
  if (!LOCALE.test(text)) throw new InvalidArgumentError('Expected a language tag such as en or pt-BR.')
  return text
}

/** The repository to index, or null when a project is named. */
function repositoryOf(session: Session, options: ResolveOptions): string | null {
  const named = namedRepository(session, options)
  if (named !== null || options.project !== undefined) return named
  const around = findRepository(session.cwd)
  if (around === null) {
    throw usageError(
      'The current folder is in no git repository.',
      'Say whose code is meant with --project NAME ("faultline projects" lists them) or --repo PATH.',
    )
  }
  return around
}

/** Warns about uncommitted changes where the index is that of HEAD, so that lines may differ. */
async function noteUncommitted(
  { output }: Session,
  backend: Backend,
  repository: string,
  resolution: ResolutionAnswer,
): Promise<void> {
  const changed = existsSync(join(repository, '.git'))
    ? await countUncommitted(repository, resolution, backend.readCommitted)
    : 0
  if (changed > 0) {
    const have = changed === 1 ? 'has' : 'have'
    output.note(
      `${count(changed, 'file')} of this trace ${have} changes that are not committed; ` +
        `the code shown is that of HEAD, ${shortCommit(resolution.commit)}.`,
    )
  }
}

function inputFrom(
  stacktrace: string,
  project: string,
  { mode, maxContextTokens, full, ref, exception, locale, model, maxSteps, budgetTokens }: ResolveOptions,
): ResolveInput {
  const detail = full === true ? 'full' : undefined
  const budget = budgetTokens === undefined ? undefined : { tokens: budgetTokens }
  const located = { mode, max_context_tokens: maxContextTokens, detail, ref, exception, locale, model }
  const options = { ...located, max_steps: maxSteps, budget }
  return {
    stacktrace,
    project_name: project,
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  }
}

/** Shows everything as it arrives on a terminal: first the located code, then the model's words. */
async function ask(
  session: Session,
  backend: Backend,
  input: ResolveInput,
  hints: NextHints,
): Promise<ResolutionAnswer> {
  const { output, signal } = session
  if (!output.isLive || input.detail === 'full') return backend.resolve(input, { signal })
  const { paint } = output
  let toPrintable = createPrintableStream()
  let streamed = false
  const resolution = await backend.resolve(input, {
    signal,
    onLocated: located => output.write(`${locatedText(located, paint)}\n\n`),
    onToken(text) {
      if (!streamed) output.write(`${answerHeading(paint)}\n\n`)
      streamed = true
      output.write(toPrintable(text))
    },
    onRestart() {
      toPrintable = createPrintableStream()
      if (streamed) output.write(`\n\n${paint('yellow', 'The model broke off; it begins again.')}\n\n`)
    },
  })
  const isComplete = streamed && resolution.answer_status === 'ok'
  const answer = answerText(resolution, paint, { streamed: isComplete })
  output.write(`${streamed ? '\n\n' : ''}${answer}\n\n${nextText(resolution, paint, hints)}\n`)
  return resolution
}

const EXIT_BY_PLACE = { none: EXIT.done, project: EXIT.projectFault, elsewhere: EXIT.otherFault } as const

const exitCodeOf = ({ exitCode }: ResolveOptions, resolutions: readonly ResolutionAnswer[]): number =>
  exitCode === true ? EXIT_BY_PLACE[placeOf(resolutions)] : EXIT.done

/** The summary of the step that runs in GitHub Actions, where there is one. */
async function writeSummary({ stepSummary, output }: Session, report: CiReport): Promise<void> {
  if (stepSummary === undefined) return
  const markdown = ciReport('markdown', report)
  try {
    const isWritten = await appendStepSummary(stepSummary, markdown)
    if (!isWritten) output.warn('The summary of this step is full; nothing was added to it.')
  } catch (error) {
    // the report itself is printed
    output.warn(`The summary of this step could not be written: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

/** Prints each fault of a log as a CI system reads it. */
async function printReport(
  session: Session,
  backend: Backend,
  format: CiFormat,
  input: ResolveInput,
): Promise<ResolutionAnswer[]> {
  const { signal, output } = session
  const faults = await resolveFaults(one => backend.resolve(one, { signal }), input)
  const { repositories } = await backend.getProject(faults.projectName)
  const report = { ...faults, repositories }
  output.write(ciReport(format, report))
  if (format === 'github') await writeSummary(session, report)
  return faults.resolutions
}

/** An answer as text: what was found, what the model says, and what can be done next. */
export const wholeText = ({ output: { paint } }: Session, resolution: ResolutionAnswer, hints: NextHints): string =>
  [locatedText(resolution, paint), answerText(resolution, paint), nextText(resolution, paint, hints)].join('\n\n')

/**
 * Has the model look around before it answers, and prints the answer.
 *
 * @throws {CliError} For a job that did not succeed.
 */
async function printInvestigation(
  session: Session,
  backend: Backend,
  input: ResolveInput,
  hints: NextHints,
): Promise<ResolutionAnswer[]> {
  const job = await converse(session, backend, await backend.investigate(input), { yes: false })
  const failure = jobFailure(job)
  if (failure !== null) throw failure
  const [resolution] = job.result as [ResolutionAnswer]
  session.output.result(resolution, () => wholeText(session, resolution, hints))
  return [resolution]
}

/** Prints one answer, for a person or as JSON. */
async function printAnswer(
  session: Session,
  backend: Backend,
  input: ResolveInput,
  hints: NextHints,
): Promise<ResolutionAnswer[]> {
  const resolution = await ask(session, backend, input, hints)
  const { output, terminal, pager } = session
  if (output.isLive && input.detail === 'full') {
    await showPaged(`${wholeText(session, resolution, hints)}\n`, { pager, stdout: terminal.stdout })
  } else if (!output.isLive) output.result(resolution, () => wholeText(session, resolution, hints))
  return [resolution]
}

/** @throws {CliError} Options that go with `--investigate` stand without it, or others with it. */
function checkOptions({ investigate = false, maxSteps, budgetTokens, mode, format }: ResolveOptions): void {
  if (!investigate) {
    if (maxSteps === undefined && budgetTokens === undefined) return
    throw usageError('--max-steps and --budget-tokens go with --investigate.')
  }
  if (mode === 'context') throw usageError('With --mode context no model is asked that could investigate.')
  if (CI_FORMATS.some(name => name === format)) {
    throw usageError(`--investigate is about one fault, and --format ${format} about all of a log.`)
  }
}

async function resolve(session: Session, file: string | undefined, options: ResolveOptions): Promise<number> {
  checkOptions(options)
  if (session.output.isJson && options.format !== undefined && options.format !== 'json') {
    throw usageError(`--json and --format ${options.format} exclude each other.`)
  }
  const repository = repositoryOf(session, options)
  // who names a commit wants the code of commits
  const isCommitted = options.committed === true || options.ref !== undefined
  const text = await stackTraceFrom(session, file)
  return session.withBackend(
    async backend => {
      const named = options.project ?? ''
      const project = repository === null ? named : await indexHere(session, backend, repository, { isCommitted })
      // tags come with the history
      if (options.ref !== undefined && repository !== null) await backend.finishBackgroundWork(session.signal)
      const input = inputFrom(text, project, options)
      const format = CI_FORMATS.find(name => name === options.format)
      const print = options.investigate === true ? printInvestigation : printAnswer
      const resolutions =
        format === undefined
          ? await print(session, backend, input, { inRepository: repository !== null })
          : await printReport(session, backend, format, input)
      const [first] = resolutions
      const isNoted = options.committed === true && options.ref === undefined
      if (repository !== null && isNoted && first !== undefined) {
        await noteUncommitted(session, backend, repository, first)
      }
      return exitCodeOf(options, resolutions)
    },
    {
      localRepos: repository === null ? [] : [repository],
      personal: repository !== null,
      access: repository === null ? 'keep' : 'write',
    },
  )
}

/** Adds `faultline resolve`. */
export function addResolve(program: Command, run: Run): void {
  program
    .command('resolve [file]')
    .description('find and explain the code behind a stack trace')
    .option('--project <name>', 'project whose code is meant')
    .option(
      '--repo <path>',
      'repository on this machine: indexed when needed, outside of it; default: the one around the current folder',
    )
    .option('--committed', 'read the last commit of the repository, without what is changed on the disk since')
    .addOption(new Option('--mode <mode>', 'answer: ask the model; context: do not').choices(['answer', 'context']))
    .option('--full', 'every frame and all code that may matter, not only the likely places; in a pager on a terminal')
    .option(
      '--max-context-tokens <n>',
      'limit of the code, 200 to 150000',
      integerOption('--max-context-tokens', 200, 150_000),
    )
    .option('--ref <ref>', 'commit, tag or branch to read the code at')
    .option(
      '--exception <n>',
      'which exception to explain, counted from 0; default: the last root',
      integerOption('--exception', 0, 1000),
    )
    .option('--locale <tag>', 'language of the explanation', locale)
    .option('--model <name>', 'ask this model instead of the configured one')
    .option('--investigate', 'let the model look around in the code before it answers; a job, which only reads')
    .option(
      '--max-steps <n>',
      'with --investigate: how often it may look at something, 1 to 50; default 12',
      integerOption('--max-steps', 1, 50),
    )
    .option(
      '--budget-tokens <n>',
      'with --investigate: answer before more tokens than that are spent',
      integerOption('--budget-tokens', 1, 1_000_000_000),
    )
    .addOption(
      new Option(
        '--format <format>',
        'text; json, as --json; for CI markdown (a comment), github (annotations), sarif, gitlab (code quality)',
      )
        .choices(FORMATS)
        .argParser(readFormat),
    )
    .option('--exit-code', 'exit with 10 or 11 where there is a fault, as below')
    .addHelpText(
      'after',
      `
The file is one stack trace or a whole log; "-" or no file reads standard input.
The code of a repository on this machine is read as it is on the disk: also what is changed, new or deleted since the
last commit, but not what .gitignore leaves out. Nothing is written to the repository. With --committed or --ref it is
that of a commit; of --committed a note on stderr says how many files of the trace are changed since.

text and json are about one fault of a log (--exception says which), the formats for CI about all of them.
In GitHub Actions, --format github also writes the summary of the step.

With --exit-code:
  0    no fault was found
  10   code of the project is at fault: a frame of a fault lies in it
  11   there is a fault, and none of it lies in code of the project
An input without a trace or a word to search by is an error of text and json (1), and no fault for the formats for CI.

Examples:
  $ npm test 2>&1 | faultline resolve -
  $ python app.py 2>&1 | faultline resolve - --repo ~/src/app
  $ faultline resolve crash.log --repo . --committed
  $ faultline resolve crash.log --project shop --mode context
  $ faultline resolve crash.log --project shop --investigate
  $ faultline resolve test.log --format sarif --exit-code > faultline.sarif
  $ faultline resolve crash.log --project shop --json --server http://127.0.0.1:8000`,
    )
    .action((file: string | undefined, options: ResolveOptions, command: Command) =>
      run(command, session => resolve(session, file, options)),
    )
}
