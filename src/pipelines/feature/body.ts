import { FeatureBody } from '../../contract/feature.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /features`. */
export const FEATURE_REQUEST = {
  type: 'feature',
  schema: FeatureBody,
  route: {
    url: PIPELINE_PATHS.feature,
    operationId: 'buildFeature',
    summary: 'From a request in words to a branch with a working feature that waits for an approval',
    description:
      'A planner turns the request into a plan, skeletons are made from templates, a coder fills them, a migration ' +
      'is generated and applied to a scratch database, type checker, linter and tests run; what fails goes back to ' +
      'the coder, up to `max_retries` times, and the same error twice ends it. Then the branch is committed, pushed' +
      ' with `push`, and the job waits with `approve_delivery`: an approval merges (with `merge`) and deploys, a ' +
      'rejection with a comment goes back to the coder, one without aborts. `progress.step` is `planning`, ' +
      '`scaffolding`, `coding`, `verifying`, `delivering`, `awaiting_approval`, then `deployed` or `aborted`. Only ' +
      'files in the `allowed_paths` of the project are changed, and no dependencies: else `OUT_OF_SCOPE`. The ' +
      'commands are those of the project (`PATCH /projects/{name}`, `.faultline.toml` of the default branch). A ' +
      'cancelled, rejected or failed feature leaves no branch here or on the remote; its result and its diff stay.',
  },
} as const satisfies PipelineRequest
