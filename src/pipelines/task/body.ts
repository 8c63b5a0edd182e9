import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import { TaskBody } from '../../contract/task.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /tasks`. */
export const TASK_REQUEST = {
  type: 'task',
  schema: TaskBody,
  route: {
    url: PIPELINE_PATHS.task,
    operationId: 'runTask',
    summary: 'From a task in words to a reviewed, tested branch',
    description:
      'A coder writes, a reviewer sees the diff alone, lint and tests run; what is rejected or fails goes back to ' +
      'the coder, up to `max_attempts` times. Each attempt begins on a branch of its own, ' +
      '`ai/task-{number}-attempt-{n}`, from the default branch as it is then. `progress.step` is `pending`, ' +
      '`coding`, `reviewing`, `testing`; GET /tasks/{number} has the state, also `done` or `failed`, and what each ' +
      'agent did. Without `auto_merge` the branch stays in the clone of the server, and is pushed with `push`. With ' +
      'it the server merges into the default branch as it is by then and pushes that, never by force; a conflict ' +
      'begins the next attempt. `auto_merge` needs `push`, else `422 MERGE_NEEDS_PUSH`. A task that used up its ' +
      'attempts is `failed TASK_FAILED`; its `result` still has them, with their diffs.',
  },
} as const satisfies PipelineRequest
