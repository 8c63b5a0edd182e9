import { EnvironmentBody } from '../../contract/environment.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** Environments are asked for by other jobs; a retry is the only request. */
export const ENVIRONMENT_REQUEST = { type: 'environment', schema: EnvironmentBody } as const satisfies PipelineRequest
