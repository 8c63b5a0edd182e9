import type { ImproveInput } from '../../contract/generation.ts'
import type { ImproveResult } from '../../contract/generation-results.ts'
import type { OutlineFile } from '../../edits/parts/units/units-of.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { NO_CHANGES } from '../steps/base/base-files.ts'
import { chooseFiles, type ChooseDeps } from './choose-files.ts'
import type { DeliverDeps } from '../steps/result/deliver.ts'
import type { PublishDeps } from '../steps/result/publish.ts'
import { lint, type LintDeps } from './lint.ts'
import { createPhases } from '../steps/phases.ts'
import { propose } from '../steps/result/propose.ts'
import { startingFiles, type StartingDeps } from '../steps/base/starting-files.ts'

/** What improving needs. */
export interface ImproveDeps extends ChooseDeps, Omit<StartingDeps, 'git'>, Omit<PublishDeps, 'git'> {
  model: AskModel
  outline: OutlineFile
  sandbox: LintDeps['sandbox']
  git: StartingDeps['git'] & DeliverDeps['git'] & PublishDeps['git']
  /** @throws {FaultlineError} VALIDATION_FAILED: the project has no linter. */
  lintCommand: (projectName: string, repository?: string) => Promise<string>
  needEnvironment: LintDeps['needEnvironment']
}

const MAX_REFINEMENTS = 3

/** gpt-engineer's improvement of existing code by checked diffs. */
export async function runImprove(job: JobContext, deps: ImproveDeps, input: ImproveInput): Promise<ImproveResult> {
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
          await job.step('lint.command', () => deps.lintCommand(project.at.projectName, project.at.repository)),
        )
      : NO_CHANGES
  const shown = await job.step('select', () => chooseFiles(job, deps, { input, base, project }))

  const { result } = await propose(job, deps, {
    at: project?.at ?? null,
    improve: {
      base,
      changes: linted,
      shown,
      request: prompt,
      outline: deps.outline,
      asked: prompt,
      maxRefinements: input.max_refinements ?? MAX_REFINEMENTS,
      refusal: project?.refusal,
      model,
      temperature,
    },
    prompt,
    push: input.push,
    draft: input.draft,
    allowPartial: input.allow_partial === true,
    check: async () => ({}),
    evidence: () => ({ fault: null, runs: null, guards: [] }),
    whether: input.review ?? 'ask',
    enter,
  })
  return result
}
