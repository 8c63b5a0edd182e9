import { BisectBody } from '../../contract/bisect.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /bisect`. */
export const BISECT_REQUEST = {
  type: 'bisect',
  schema: BisectBody,
  route: {
    url: PIPELINE_PATHS.bisect,
    operationId: 'bisect',
    summary: 'Find the commit that broke something',
    description:
      'Runs `command` in the sandbox at commits between `good` and `bad`, a logarithm of them, as `git bisect run` ' +
      'does; first at these two, which have to be what they are said to be. `first_bad` is the commit that broke it; ' +
      'where commits were skipped it may be null, and `candidates` are what is left. Calls no model.',
  },
} as const satisfies PipelineRequest
