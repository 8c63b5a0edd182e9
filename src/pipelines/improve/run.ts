import type { ImproveInput } from '../../contract/generation.ts'
import type { ImproveResult } from '../../contract/generation-results.ts'
import type { JsonObject } from '../../core/job.ts'
import type { OutlineFile } from '../../edits/parts/units/units-of.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { NO_CHANGES } from '../steps/base/base-files.ts'
import { chooseFiles, type ChooseDeps } from './choose-files.ts'
import type { DeliverDeps } from '../steps/result/deliver.ts'
import type { PublishDeps } from '../steps/result/publish.ts'
import { lint, type LintDeps } from './lint.ts'
import { createPhases } from '../steps/phases.ts'
import { propose } from '../steps/result/propose.ts'
import { startingFiles, type StartingDeps } from '../steps/base/starting-files.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { IMPROVE_REQUEST } from './body.ts'

/** What improving needs. */
interface ImproveDeps extends ChooseDeps, Omit<StartingDeps, 'git'>, Omit<PublishDeps, 'git'> {
  model: AskModel
  outline: OutlineFile
  sandbox: LintDeps['sandbox']
  git: StartingDeps['git'] & DeliverDeps['git'] & PublishDeps['git']
  /** @throws {FaultlineError} VALIDATION_FAILED: the project has no linter. */
  lintCommand: (projectName: string, repository?: string) => Promise<string>
  needEnvironment: LintDeps['needEnvironment']
}

const MAX_REFINEMENTS = 3

const BASE_FROM = ['files', 'project_name', 'repository']
const SHOWN_FROM = [...BASE_FROM, 'prompt', 'select', 'select_toml', 'allow_paths', 'lint']

const readInput = (input: JsonObject): ImproveInput =>
  readStoredBody(input, { type: IMPROVE_REQUEST.type, url: IMPROVE_REQUEST.route.url, texts: ['prompt'] })

/** gpt-engineer's improvement of existing code by checked diffs. */
export function createImprovePipeline(deps: ImproveDeps): JobDefinition {
  return {
    projectName: input => readInput(input).project_name ?? null,
    exclusiveKey: () => null,
    consumes: {
      files: BASE_FROM,
      base: BASE_FROM,
      lint: [...BASE_FROM, 'lint', 'allow_paths'],
      select: SHOWN_FROM,
      improve: [...SHOWN_FROM, 'model', 'temperature'],
      pull_request: ['draft'],
      diff: SHOWN_FROM,
    },
    async run(job) {
      const input = readInput(job.input)
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
      return result satisfies ImproveResult
    },
  }
}
