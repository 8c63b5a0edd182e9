import { SelfHealBody } from '../../contract/generation.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { PipelineRequest } from '../pipeline.ts'
import { SOURCES } from '../steps/request/source.ts'

/** `POST /self-heal`. */
export const SELF_HEAL_REQUEST = {
  type: 'self_heal',
  schema: SelfHealBody,
  oneOf: SOURCES,
  route: {
    url: PIPELINE_PATHS.self_heal,
    operationId: 'selfHeal',
    summary: 'Run a program and mend it until it works',
    description:
      'Runs the entrypoint in the sandbox; while it fails, the model is asked for a change with the output and the ' +
      'code behind the error. `healed` says whether a run ended with one of `success_exit_codes`, or met `ready_when`.',
  },
} as const satisfies PipelineRequest
