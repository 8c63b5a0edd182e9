import { FixBody } from '../../contract/generation.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /fix`. */
export const FIX_REQUEST = {
  type: 'fix',
  schema: FixBody,
  route: {
    url: PIPELINE_PATHS.fix,
    operationId: 'fixError',
    summary: 'From a stack trace to a checked change on a branch',
    description:
      'Finds the code behind the trace, asks for a change of that code alone, runs `verify.command` before and after ' +
      'it, and waits with `review_changes` unless `review` is `auto`, as POST /improve does. `verification`: ' +
      '`verified` (failed before, passes now), `partially_verified` (passes before and after), `unverified`.',
    longText: { field: 'stacktrace', name: 'stack trace' },
  },
} as const satisfies PipelineRequest
