import type { ImproveInput } from '../../contract/generation.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { ImproveResult } from '../../contract/generation-results.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { NO_CHANGES, type BaseFiles } from '../steps/base/base-files.ts'
import { findFiles, selectedFiles, type ChooseDeps } from './choose-files.ts'
import { deliver, NOT_DELIVERED, type DeliverDeps } from '../steps/result/deliver.ts'
import { says } from '../steps/model/dialogues.ts'
import { requireEdits } from '../steps/model/edits-rejected.ts'
import { improveDialogue, improveFiles } from '../steps/model/improve-files.ts'
import { lint, type LintCommands, type LintDeps } from './lint.ts'
import { outcomeOf } from '../steps/result/outcome.ts'
import { createPhases } from '../steps/phases.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { review } from '../steps/result/review.ts'
import { startingFiles, type StartingDeps } from '../steps/base/starting-files.ts'

/** The body of `POST /improve`, as the job keeps it. */
export interface ImproveDeps extends ChooseDeps, Omit<StartingDeps, 'git'> {
  model: AskModel
  sandbox: LintDeps['sandbox']
  git: StartingDeps['git'] & DeliverDeps['git']
  /** @throws {FaultlineError} VALIDATION_FAILED: the project has no linter. */
  lintCommands: (projectName: string) => Promise<LintCommands>
}

const MAX_REFINEMENTS = 3

const BASE_FROM = ['files', 'project_name', 'repository']
const SHOWN_FROM = [...BASE_FROM, 'prompt', 'select', 'select_toml', 'allow_paths', 'lint']

/** Of a project's files those that can be shown. @throws {FaultlineError} VALIDATION_FAILED: none can. */
async function readable(job: Pick<JobContext, 'log'>, base: BaseFiles, paths: readonly string[]): Promise<string[]> {
  const unreadable = new Set<string>()
  for (const path of paths) if ((await base.read(path)) === null) unreadable.add(path)
  const left = [...unreadable].join(', ').slice(0, 1000)
  if (unreadable.size === paths.length) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `None of the selected files is a text of up to 1 MiB: ${left}.`,
      'Select other files.',
    )
  }
  if (unreadable.size > 0) job.log(`Left out of the selection, as they are no text of up to 1 MiB: ${left}.`)
  return paths.filter(path => !unreadable.has(path))
}

/**
 * The paths that the model is shown: those selected, else all that were sent, or what fits the request best of a
 * project.
 */
async function choose(
  job: Pick<JobContext, 'log' | 'signal'>,
  deps: ChooseDeps,
  { input, base, project }: { input: ImproveInput; base: BaseFiles; project: ProjectBase | null },
): Promise<string[]> {
  const paths = await base.paths()
  const selected = selectedFiles(deps, input, paths)
  if (selected !== null && project !== null) return readable(job, base, selected)
  if (selected !== null || project === null) return selected ?? [...paths]
  const found = await findFiles(deps, { base, ...project.at, request: input.prompt }, job.signal)
  job.log(`Chosen for the prompt, about ${found.tokens} tokens: ${found.paths.join(', ')}`.slice(0, 8000))
  return found.paths
}

function asInput(input: JsonObject): ImproveInput {
  if (typeof input.prompt !== 'string') {
    throw new FaultlineError(
      'BAD_REQUEST',
      'The stored body of this improve job is not complete.',
      'POST /improve again.',
    )
  }
  return input as ImproveInput
}

/** gpt-engineer's improvement of existing code by checked diffs. */
export function createImprovePipeline(deps: ImproveDeps): JobDefinition {
  return {
    projectName: input => asInput(input).project_name ?? null,
    exclusiveKey: () => null,
    consumes: {
      files: BASE_FROM,
      base: BASE_FROM,
      lint: [...BASE_FROM, 'lint', 'allow_paths'],
      select: SHOWN_FROM,
      improve: [...SHOWN_FROM, 'model', 'temperature'],
      diff: SHOWN_FROM,
    },
    async run(job) {
      const input = asInput(job.input)
      const { prompt, project_name: projectName, model, temperature } = input
      const enter = createPhases(job, [
        'files',
        ...(input.lint === true ? ['lint'] : []),
        'improve',
        'review_changes',
        ...(projectName === undefined ? [] : ['commit']),
      ])
      enter('files', 'taking the files')
      const { base, project } = await startingFiles(job, deps, input)
      if (input.lint === true) enter('lint', "running the project's linter")
      const linted =
        input.lint === true && project !== null
          ? await lint(
              job,
              deps,
              project,
              await job.step('lint.commands', () => deps.lintCommands(project.at.projectName)),
            )
          : NO_CHANGES
      const shown = await job.step('select', () => choose(job, deps, { input, base, project }))

      enter('improve', 'asking for changes')
      const { changes, touched, rejected, refinements } = await improveFiles(job, deps.model, {
        base,
        changes: linted,
        shown,
        request: prompt,
        maxRefinements: input.max_refinements ?? MAX_REFINEMENTS,
        refusal: project?.refusal,
        model,
        temperature,
      })
      const outcome = await job.step('diff', () => outcomeOf(job, base, changes, prompt))
      requireEdits({ touched, rejected, allowPartial: input.allow_partial === true })

      enter('review_changes', 'waiting for a decision')
      const decision = await review(job, { diff: outcome.diff, rejected, whether: input.review ?? 'ask' })
      const isCommitted = project !== null && decision !== 'reject' && outcome.diff !== ''
      if (isCommitted) enter('commit', 'committing the changes')
      const delivered = isCommitted
        ? await deliver(job, deps, { at: project.at, base, changes, prompt, push: input.push })
        : NOT_DELIVERED
      const result: ImproveResult = {
        ...outcome,
        baseCommit: base.commit,
        complete: rejected.length === 0,
        rejectedHunks: rejected,
        refinements,
        ...delivered,
        decision,
      }
      return decision === 'reject' ? { ...result, files: [], deleted: [] } : result
    },
  }
}

/** What the model is asked first, for `dry_run`. */
export async function firstImproveDialogue(
  deps: ChooseDeps,
  input: ImproveInput,
  { base, project }: { base: BaseFiles; project: ProjectBase | null },
): Promise<DialogueMessage[]> {
  const files = new Map<string, string>()
  for (const path of await choose({ log: () => {}, signal: new AbortController().signal }, deps, {
    input,
    base,
    project,
  })) {
    const text = await base.read(path)
    if (text !== null) files.set(path, text)
  }
  return improveDialogue(files, [says(input.prompt)])
}
