import type { TaskInput } from '../../contract/task.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { TASK_REQUEST } from './body.ts'
import type { TaskDeps } from './run.ts'

const readInput = (input: JsonObject): TaskInput =>
  readStoredBody(input, {
    type: TASK_REQUEST.type,
    url: TASK_REQUEST.route.url,
    texts: ['description', 'project_name'],
  })

/**
 * The task pipeline of the seed: a coder writes, a reviewer sees the diff alone, lint and tests run; what is sent back
 * goes to the coder of the next attempt.
 */
export function createTaskPipeline(deps: TaskDeps): JobDefinition {
  return {
    projectName: input => readInput(input).project_name,
    exclusiveKey: () => null,
    isWhole: true,
    // few servers get such a job: what it takes is loaded with the first one
    run: async job => (await import('./run.ts')).runTask(job, deps, readInput(job.input)),
  }
}
