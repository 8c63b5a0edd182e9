import type { Static } from 'typebox'
import type { FixBody, FixInput } from '../../contract/generation.ts'
import type { Projects } from '../../indexer/projects.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import { baseAt, type ProjectBaseDeps } from '../steps/base/project-base.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { needSandbox, type SandboxProbe } from '../steps/request/need-sandbox.ts'
import { withoutDryRun } from '../steps/request/no-dry-run.ts'
import { firstFixDialogue, type LocateDeps } from './dialogue.ts'

/** What checking a request to fix needs. */
export interface FixPreparationDeps extends SandboxProbe, ProjectBaseDeps, LocateDeps {
  model: Pick<AskModel, 'needModel' | 'estimate'>
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
}

async function withProject(deps: FixPreparationDeps, body: FixInput): Promise<FixInput> {
  deps.globTest(body.allow_paths ?? []) // throws for a glob that cannot be used
  const { projectName } = await deps.projects.needIndex(body.project_name)
  await deps.commitOf(projectName, body.repository)
  return { ...body, project_name: projectName }
}

/** Checks the body of `POST /fix`. */
export function prepareFix(deps: FixPreparationDeps): Required<Preparation<Static<typeof FixBody>, FixInput>> {
  const { model, callback } = deps
  return {
    async complete(body) {
      const given = withoutDryRun(body)
      callback.check(given.callback_url)
      const input = await withProject(deps, given)
      model.needModel()
      if (input.verify !== undefined) await needSandbox(deps)
      return { ...input, ...(await callback.of(input)) }
    },
    async dryRun(body) {
      const input = await withProject(deps, body)
      const { project_name: projectName, allow_paths: allowPaths, repository } = input
      const project = baseAt(deps, { projectName, allowPaths }, await deps.commitOf(projectName, repository))
      return model.estimate({ messages: await firstFixDialogue(deps, input, project), model: body.model })
    },
  }
}
