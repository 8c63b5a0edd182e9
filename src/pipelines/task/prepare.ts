import type { Static } from 'typebox'
import type { TaskBody, TaskInput } from '../../contract/task.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { Projects } from '../../indexer/projects.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import { baseAt, type ProjectBaseDeps } from '../steps/base/project-base.ts'
import { modelPreparation, type ModelPreparationDeps } from '../steps/request/model-preparation.ts'
import type { ContextDeps } from './context/gather.ts'

/** What holds for tasks whose body does not say otherwise. */
interface TaskDefaults {
  maxAttempts: number
  autoMerge: boolean
  /** Null: the configured one. */
  model: string | null
}

/** What checking a request for a task needs. */
interface TaskPreparationDeps extends ModelPreparationDeps, ProjectBaseDeps, ContextDeps {
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
  tasks: TaskDefaults
}

/** Who merges must be able to: the server pushes what it merged. */
function checkMerge({ auto_merge: isMerged, merge_by: by, push }: TaskInput): void {
  if (isMerged !== true || by === 'client' || push === true) return
  throw new FaultlineError(
    'MERGE_NEEDS_PUSH',
    'auto_merge merges into the default branch of the remote, so it needs push.',
    'Send "push": true, or "auto_merge": false to get the branch alone.',
  )
}

function withDefaults(body: TaskInput, { maxAttempts, autoMerge, model }: TaskDefaults): TaskInput {
  const named = body.model ?? model ?? undefined
  return {
    ...body,
    max_attempts: body.max_attempts ?? maxAttempts,
    auto_merge: body.auto_merge ?? autoMerge,
    ...(named === undefined ? {} : { model: named }),
  }
}

async function withProject(deps: TaskPreparationDeps, body: TaskInput): Promise<TaskInput> {
  deps.globTest(body.allow_paths ?? []) // throws for a glob that cannot be used
  const input = withDefaults(body, deps.tasks)
  checkMerge(input)
  const { projectName } = await deps.projects.needIndex(body.project_name)
  await deps.commitOf(projectName, body.repository)
  return { ...input, project_name: projectName }
}

/** Checks the body of `POST /tasks`. */
export function prepareTask(deps: TaskPreparationDeps): Required<Preparation<Static<typeof TaskBody>, TaskInput>> {
  return modelPreparation(deps, {
    async complete(body) {
      const input = await withProject(deps, body)
      return { ...input, ...(await deps.callback.of(input)) }
    },
    needsSandbox: () => false, // what cannot be run is skipped, and said to be
    async dialogue(body) {
      const input = await withProject(deps, body)
      const { project_name: projectName, repository, allow_paths: allowPaths } = input
      const project = baseAt(deps, { projectName, allowPaths }, await deps.commitOf(projectName, repository))
      const { firstTaskDialogue } = await import('./dialogue.ts') // as the job's body: with the first one
      return firstTaskDialogue(deps, input, project)
    },
  })
}
