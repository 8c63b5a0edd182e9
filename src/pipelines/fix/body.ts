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
      'Finds the code behind the trace, asks for a change of that code alone, and waits with `review_changes` unless ' +
      '`review` is `auto`, as POST /improve does. `verify.command`, or else `checks.test` of the project, runs ' +
      'before and after the change; the failing test that the trace names runs alone first. `verification`: ' +
      '`verified` (failed before, passes now, nothing broke), `partially_verified`, `unverified`, `could_not_run`; ' +
      '`runs` has the commands with both exit codes, `tests` what was fixed, what broke and what is flaky. `guards` ' +
      'has the places of the change that only hide the failure; with one it is `partially_verified` at most. With ' +
      '`reproduce` the model first writes a test that fails as the trace says; it is committed before the fix. With ' +
      '`candidates` it answers several times, and the best answer is taken.',
    longText: { field: 'stacktrace', name: 'stack trace' },
  },
} as const satisfies PipelineRequest
