import { ImproveBody } from '../../contract/generation.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { PipelineRequest } from '../pipeline.ts'
import { SOURCES } from '../steps/request/source.ts'

/** `POST /improve`. */
export const IMPROVE_REQUEST = {
  type: 'improve',
  schema: ImproveBody,
  oneOf: SOURCES,
  route: {
    url: PIPELINE_PATHS.improve,
    operationId: 'improveCode',
    summary: 'Change existing code as a prompt says, by checked diffs',
    description:
      'Of files in the body, of a project, or of an earlier job. The job waits with `review_changes` unless `review` ' +
      'is `auto`; a rejection with a `comment` asks the model again. The diff is at `GET /jobs/{id}/diff`. On a ' +
      "project what is approved is committed to `faultline/{job id}` in the server's clone.",
  },
} as const satisfies PipelineRequest
