import type { Static } from 'typebox'
import type { ImproveBody, ImproveInput } from '../../contract/generation.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import type { ProjectBaseDeps } from '../steps/base/project-base.ts'
import { modelPreparation, type ModelPreparationDeps } from '../steps/request/model-preparation.ts'
import { filesNow, withSource, type SourceDeps } from '../steps/request/source.ts'
import { selectedFiles, type ChooseDeps } from './choose-files.ts'
import { readTomlSelection } from './select-toml.ts'

/** What checking a request to improve needs. */
interface ImprovePreparationDeps extends ModelPreparationDeps, SourceDeps, ChooseDeps, ProjectBaseDeps {
  model: ModelPreparationDeps['model']
  callback: CallbackChoice
  /** @throws {FaultlineError} VALIDATION_FAILED: the project has no linter. */
  lintCommand: (projectName: string, repository?: string) => Promise<string>
}

/** What gpt-engineer's file says of the linter; null without a file or a word of it. */
function lintingOf({ select, select_toml: toml, lint }: ImproveInput): 'on' | 'off' | null {
  if (select !== undefined && toml !== undefined) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'select and select_toml say the same in two ways.',
      'Send one of them.',
    )
  }
  const linting = toml === undefined ? null : readTomlSelection(toml).linting
  if (linting === 'off' && lint === true) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'select_toml turns linting off, and lint turns it on.',
      'Leave one of them out.',
    )
  }
  return linting
}

/** Source, globs, gpt-engineer's file and the linter: what can be found wrong before there is a job. */
async function withSelection(deps: ImprovePreparationDeps, body: ImproveInput): Promise<ImproveInput> {
  deps.globTest([...(body.select ?? []), ...(body.allow_paths ?? [])]) // throws for a glob that cannot be used
  const linting = lintingOf(body)
  const input = await withSource(deps, linting === 'on' ? { ...body, lint: true } : body)
  if (input.select !== undefined || input.select_toml !== undefined) {
    selectedFiles(deps, input, await (await filesNow(deps, input)).base.paths())
  } else if (input.project_name !== undefined) await deps.commitOf(input.project_name, input.repository)
  if (input.lint === true) await deps.lintCommand(input.project_name ?? '', input.repository)
  return input
}

/** Checks the body of `POST /improve`. */
export function prepareImprove(
  deps: ImprovePreparationDeps,
): Required<Preparation<Static<typeof ImproveBody>, ImproveInput>> {
  return modelPreparation(deps, {
    complete: async body => withSelection(deps, body),
    needsSandbox: ({ lint }) => lint === true,
    async dialogue(body) {
      const input = await withSelection(deps, body)
      const { firstImproveDialogue } = await import('./dialogue.ts') // as the job's body: with the first one
      return firstImproveDialogue(deps, input, await filesNow(deps, input))
    },
  })
}
