import { Option, type Command } from 'commander'
import { FEATURE_STATES } from '../../contract/feature-names.ts'
import type { FeatureResultAnswer } from '../../contract/feature.ts'
import type { JobAnswer, JobEventAnswer } from '../../contract/job.ts'
import { resultText, usageText } from '../../text/generation-text.ts'
import { printableLine } from '../../text/terminal-text.ts'
import { inCommands } from '../advice.ts'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { indexHere, namedRepository } from '../index-here.ts'
import { promptFrom } from '../input.ts'
import type { Backend } from '../backend/backend.ts'
import { onlyProject } from '../only-project.ts'
import { addPipelineOptions, bodyOf, type PipelineOptions } from '../pipeline-options.ts'
import { runPipeline } from '../run-pipeline.ts'
import type { Run } from '../run.ts'
import { integerOption, type Session } from '../session.ts'

interface FeatureOptions extends PipelineOptions {
  repo?: string
  project?: string
  repository?: string
  review?: 'delivery' | 'plan'
  maxRetries?: number
  push?: boolean
  merge?: boolean
  draft?: boolean
  coder?: 'own' | 'aider'
}

const STATES: ReadonlySet<unknown> = new Set(FEATURE_STATES)
const committed = { isCommitted: true }

/** The state of a feature, as an event tells it: `coding: 2 of 3: …`. */
function featureState({ event, data }: JobEventAnswer): { key: string; line: string } | null {
  const { step, message } = data
  if (event !== 'step' || typeof message !== 'string' || !STATES.has(step)) return null
  // what nothing deploys ends in the same step, and its message says how
  const line = step === 'deployed' ? message : `${String(step)}: ${inCommands(message)}`
  return { key: String(step), line: printableLine(line) }
}

/** Ctrl-C, with what became of the feature. */
function interruption({ id }: JobAnswer, { server }: Pick<Backend, 'server'>): CliError {
  const again = `"faultline jobs retry ${id}" begins it again.`
  return server === null
    ? new CliError('INTERRUPTED', 'Interrupted: the feature was cancelled, and its branch is deleted.', { fix: again })
    : new CliError('INTERRUPTED', 'Interrupted: the feature was cancelled; the server deletes its branch.', {
        fix: `"faultline jobs show ${id}" says how it ended, ${again}`,
      })
}

function nextCommands({ id, result }: JobAnswer): string[] {
  const { outcome, branch, merged } = result as FeatureResultAnswer
  if (outcome === 'aborted' || branch === null || merged) return []
  return ['Next:', `  faultline jobs diff ${id}`, `  faultline jobs patch ${id} | git am`]
}

/** Says what came of a feature, and how its branch is looked at; returns the exit code: 1 for one that was aborted. */
export function reportFeature({ output }: Session, job: JobAnswer): number {
  output.result(job, () =>
    [
      resultText(job, output.paint),
      usageText(job, output.paint),
      ...nextCommands(job).map(line => output.paint('dim', line)),
    ].join('\n'),
  )
  return (job.result as FeatureResultAnswer).outcome === 'aborted' ? EXIT.failed : EXIT.done
}

async function build(session: Session, given: string | undefined, options: FeatureOptions): Promise<number> {
  const request = await promptFrom(session, {
    given,
    file: undefined,
    question: 'Which feature is wanted?',
    example: 'faultline feature "Store characters: name, role, age" --repo .',
  })
  const repository = namedRepository(session, options)
  if (repository !== null && options.repository !== undefined) {
    throw usageError('--repository names one of a project, and --repo is a repository.', 'Leave one of them out.')
  }
  return session.withBackend(
    async backend => {
      const indexed = repository === null ? null : await indexHere(session, backend, repository, committed)
      const body = bodyOf(options, {
        request,
        project_name: indexed ?? options.project ?? (await onlyProject(backend)),
        repository: options.repository,
        review: options.review,
        max_retries: options.maxRetries,
        push: options.push,
        merge: options.merge,
        draft: options.draft,
        coder: options.coder,
      })
      const call = {
        type: 'feature',
        body,
        options,
        stateOf: featureState,
        interruption: (job: JobAnswer) => interruption(job, backend),
      } as const
      return runPipeline(session, backend, call, job => reportFeature(session, job))
    },
    { localRepos: repository === null ? [] : [repository] },
  )
}

/** Adds `faultline feature`. */
export function addFeature(program: Command, runCommand: Run): void {
  const command = program
    .command('feature [request]')
    .description('from a request in words to a branch with a working feature, which you approve or abort')
    .option('--repo <path>', 'repository on this machine, at its last commit')
    .option('--project <name>', 'indexed project; may be left out when there is only one')
    .option('--repository <name>', 'of a project that holds several')
    .addOption(
      new Option('--review <what>', 'plan: ask about the plan, too; default: about the result alone').choices([
        'delivery',
        'plan',
      ]),
    )
    .option(
      '--max-retries <n>',
      'how often the coder is told what failed and asked again, 0 to 10; default: 3',
      integerOption('--max-retries', 0, 10),
    )
    .option(
      '--push',
      'push the branch to where the project was cloned from (with --repo: into that repository), and open a pull ' +
        'request where the server has a token',
    )
    .option('--merge', 'when you approve it, merge it into the default branch of the remote; needs --push')
    .option('--draft', 'open the pull request as a draft')
    .addOption(new Option('--coder <who>', 'who writes the code; aider needs AIDER_BIN').choices(['own', 'aider']))
  addPipelineOptions(command)
    .addHelpText(
      'after',
      `
A plan is made, skeletons come from templates, a coder fills them, a migration is generated and tried on a scratch
database, type checker, linter and tests run in the sandbox. Then you are asked: yes merges (--merge) and deploys, no
aborts and deletes the branch, no with a comment goes back to the coder. Only the paths are changed that the project
allows: docs/features.md says how a project is set up. Exit code 0 when it was delivered, 1 when it failed or was
aborted.

Examples:
  $ faultline feature "Store characters: name, role, age" --repo ~/src/shop
  $ faultline feature "Let a customer cancel an order" --project shop --review plan --push --merge`,
    )
    .action((request: string | undefined, options: FeatureOptions, of: Command) =>
      runCommand(of, session => build(session, request, options)),
    )
}
