import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ImproveAnswer } from '../../contract/generation-results.ts'
import type { JobAnswer } from '../../contract/job.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { resultText, usageText } from '../../text/generation-text.ts'
import { promptFrom } from '../input.ts'
import { writeChanges } from '../files/keep-files.ts'
import type { Paint } from '../../text/paint.ts'
import {
  addEditOptions,
  addPipelineOptions,
  bodyOf,
  type EditOptions,
  type PipelineOptions,
} from '../pipeline-options.ts'
import { hasChanges } from '../../contract/generation-results.ts'
import { runPipeline } from '../run-pipeline.ts'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'
import { sourceOf, type Source, type SourceOptions } from '../files/source.ts'

interface ImproveOptions extends PipelineOptions, EditOptions, SourceOptions {
  promptFile?: string
  selectToml?: string
  lint?: boolean
  push?: boolean
  draft?: boolean
}

/** Nothing is written into a folder: the job keeps what it made. */
const KEPT: Pick<Source, 'local'> = { local: null }

function checkOptions(
  given: string | undefined,
  { select = [], selectToml, project, lint, allowPaths, push }: ImproveOptions,
): void {
  if (select.length > 0 && selectToml !== undefined) throw usageError('--select and --select-toml exclude each other.')
  const sentence = given === undefined ? select.find(glob => /\s/.test(glob.trim())) : undefined
  if (sentence !== undefined) {
    throw usageError(
      `--select took ${JSON.stringify(sentence)} as a glob.`,
      'Put the prompt first: faultline improve "…" --select "src/**".',
    )
  }
  const ofProjects = [
    ['--lint', lint],
    ['--allow-paths', allowPaths],
    ['--push', push],
  ]
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (project === undefined && ofProjects.length > 0) {
    throw usageError(`${ofProjects.join(' and ')} work on projects alone.`, 'Name one with --project.')
  }
}

async function readSelection({ cwd }: Session, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw usageError(`The file ${JSON.stringify(file)} of --select-toml cannot be read: ${code}.`)
  }
}

function improvedText(job: JobAnswer, { local }: Pick<Source, 'local'>, paint: Paint): string {
  const result = job.result as ImproveAnswer
  const isKept = local === null && result.branch === null && hasChanges(result)
  return [
    resultText(job, paint),
    ...(isKept ? [`The job keeps them: faultline jobs diff ${job.id}`] : []),
    usageText(job, paint),
    ...(result.branch === null ? [] : [paint('dim', `Next: faultline jobs diff ${job.id} | git apply`)]),
  ].join('\n')
}

const isRejected = ({ result }: JobAnswer): boolean => (result as ImproveAnswer).decision === 'reject'

/** Says what came of a job that succeeded, and returns the exit code; the job keeps the changes. */
export function reportImproved({ output }: Session, job: JobAnswer, { local }: Pick<Source, 'local'> = KEPT): number {
  output.result(job, () => improvedText(job, { local }, output.paint))
  return isRejected(job) ? EXIT.failed : EXIT.done
}

async function improve(session: Session, given: string | undefined, options: ImproveOptions): Promise<number> {
  checkOptions(given, options)
  const source = await sourceOf(session, options, { forRun: false })
  const selectToml = options.selectToml === undefined ? undefined : await readSelection(session, options.selectToml)
  const prompt = await promptFrom(session, {
    given,
    file: options.promptFile,
    question: 'How do you want to improve it?',
    example: 'faultline improve "Add a --json option"',
  })
  const body = bodyOf(options, {
    prompt,
    ...source.body,
    select_toml: selectToml,
    lint: options.lint,
    max_refinements: options.maxRefinements,
    allow_partial: options.allowPartial,
    allow_paths: options.allowPaths,
    push: options.push,
    draft: options.draft === false ? false : undefined, // commander says true where nothing was said
  })
  return session.withBackend(async backend => {
    return runPipeline(session, backend, { type: 'improve', body, options }, async job => {
      const result = job.result as ImproveAnswer
      if (source.local !== null && !isRejected(job)) {
        await writeChanges(backend, { ...source.local, id: job.id, ...result })
      }
      return reportImproved(session, job, source)
    })
  })
}

/** Adds `faultline improve`. */
export function addImprove(program: Command, run: Run): void {
  const command = program
    .command('improve [prompt]')
    .description('change existing code as a prompt says: the changes are shown and asked about first')
    .option('--prompt-file <file>', 'read the prompt from a file; - reads standard input')
    .option('--folder <folder>', 'the code; default: the current folder')
    .option('--project <name>', 'the code of an indexed project, at the head of its branch')
    .option('--repository <name>', 'of a project that holds several')
    .option('--job <id>', 'the files that an ended job keeps')
    .option(
      '--select <globs...>',
      'only these files, after the prompt; default: all, of a project those that a search for the prompt finds',
    )
    .option('--select-toml <file>', "gpt-engineer's selection of files (file_selection.toml)")
    .option('--lint', "with --project: run the project's linter first")
  addEditOptions(command, 'with --project: workflows, lock files and CI configuration that may be changed')
    .option('--push', 'with --project: push the branch, and open a pull request where the server has a token')
    .option('--no-draft', 'open the pull request as one that may be merged')
  addPipelineOptions(command)
    .addHelpText(
      'after',
      `
Of a folder the files are sent that .gitignore does not leave out, without secrets (.env, keys), dependencies and
what is no text. Approved changes are written there, if the files are still as they were sent; on a project they are
committed to faultline/<job id>.

Examples:
  $ faultline improve "Add a --json option"
  $ faultline improve "Type all functions" --select "src/**/*.py"
  $ faultline improve "Retry failed requests" --project shop --push
  $ faultline improve "Greet in Spanish" --yes --json`,
    )
    .action((prompt: string | undefined, options: ImproveOptions, command: Command) =>
      run(command, session => improve(session, prompt, options)),
    )
}
