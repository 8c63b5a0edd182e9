import { CloneBodySchema } from '../../contract/project.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /clone`. */
export const CLONE_REQUEST = {
  type: 'clone',
  schema: CloneBodySchema,
  oneOf: ['url', 'ssh_url'],
} as const satisfies PipelineRequest
