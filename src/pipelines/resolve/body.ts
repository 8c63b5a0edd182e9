import { ResolveBodySchema } from '../../contract/resolution.ts'
import { CiLogBody } from '../../contract/webhook.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /resolve` that is to become a job. */
export const RESOLVE_REQUEST = { type: 'resolve', schema: ResolveBodySchema } as const satisfies PipelineRequest

/** `POST /webhooks/ci`. */
export const CI_LOG_REQUEST = {
  type: 'resolve',
  schema: CiLogBody,
  isFor: input => 'log' in input,
} as const satisfies PipelineRequest
