import type { Static } from 'typebox'
import type { FixBody, FixInput } from '../../contract/generation.ts'
import type { Projects } from '../../indexer/projects.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import { baseAt, type ProjectBaseDeps } from '../steps/base/project-base.ts'
import { modelPreparation, type ModelPreparationDeps } from '../steps/request/model-preparation.ts'
import type { LocateDeps } from './dialogue.ts'

/** What checking a request to fix needs. */
interface FixPreparationDeps extends ModelPreparationDeps, ProjectBaseDeps, LocateDeps {
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
  /** The trace as a job keeps it. */
  withoutSecrets: (text: string) => Promise<string>
}

async function withProject(deps: FixPreparationDeps, body: FixInput): Promise<FixInput> {
  deps.globTest(body.allow_paths ?? []) // throws for a glob that cannot be used
  const { projectName } = await deps.projects.needIndex(body.project_name)
  await deps.commitOf(projectName, body.repository)
  return { ...body, project_name: projectName }
}

/** Checks the body of `POST /fix`. */
export function prepareFix(deps: FixPreparationDeps): Required<Preparation<Static<typeof FixBody>, FixInput>> {
  return modelPreparation(deps, {
    async complete(body) {
      const input = await withProject(deps, body)
      const stacktrace = await deps.withoutSecrets(input.stacktrace)
      return { ...input, stacktrace, ...(await deps.callback.of(input)) }
    },
    needsSandbox: ({ verify, reproduce = false }) => verify !== undefined || reproduce,
    async dialogue(body) {
      const input = await withProject(deps, body)
      const { project_name: projectName, allow_paths: allowPaths, repository } = input
      const project = baseAt(deps, { projectName, allowPaths }, await deps.commitOf(projectName, repository))
      const { firstFixDialogue } = await import('./dialogue.ts') // as the job's body: with the first one
      return firstFixDialogue(deps, input, project)
    },
  })
}
