import type { Static } from 'typebox'
import type { FeatureBody, FeatureInput } from '../../contract/feature.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { Projects } from '../../indexer/projects.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import { baseAt, type ProjectBaseDeps } from '../steps/base/project-base.ts'
import { modelPreparation, type ModelPreparationDeps } from '../steps/request/model-preparation.ts'
import type { ContextDeps } from '../task/context/gather.ts'
import { needAider, type AiderSettings } from './coder/need-aider.ts'
import type { FeatureRulesOf } from './rules.ts'

/** What checking a request for a feature needs. */
interface FeaturePreparationDeps extends ModelPreparationDeps, ProjectBaseDeps, ContextDeps {
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
  featureRulesOf: FeatureRulesOf
  aider: AiderSettings
}

function checkMerge({ merge, push }: FeatureInput): void {
  if (merge !== true || push === true) return
  throw new FaultlineError(
    'MERGE_NEEDS_PUSH',
    'merge merges into the default branch of the remote, so it needs push.',
    'Send "push": true, or leave "merge" out to get the branch alone.',
  )
}

async function withProject(deps: FeaturePreparationDeps, body: FeatureInput): Promise<FeatureInput> {
  checkMerge(body)
  if (body.coder === 'aider') needAider(deps.aider)
  const { projectName } = await deps.projects.needIndex(body.project_name)
  await deps.commitOf(projectName, body.repository)
  return { ...body, project_name: projectName }
}

/** Checks the body of `POST /features`. */
export function prepareFeature(
  deps: FeaturePreparationDeps,
): Required<Preparation<Static<typeof FeatureBody>, FeatureInput>> {
  return modelPreparation(deps, {
    async complete(body) {
      const input = await withProject(deps, body)
      return { ...input, ...(await deps.callback.of(input)) }
    },
    needsSandbox: () => true, // nothing is delivered that nobody ran
    async dialogue(body) {
      const input = await withProject(deps, body)
      const { project_name: projectName, repository } = input
      const project = baseAt(deps, { projectName }, await deps.commitOf(projectName, repository))
      const { rules } = await deps.featureRulesOf(project.at)
      const { firstFeatureDialogue } = await import('./dialogue.ts') // as the job's body: with the first one
      return firstFeatureDialogue(deps, input, { ...project, rules })
    },
  })
}
