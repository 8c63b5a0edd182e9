import { CloneBodySchema } from '../../contract/project.ts'
import { UploadInputSchema } from '../../contract/upload.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /clone`. */
export const CLONE_REQUEST = {
  type: 'clone',
  schema: CloneBodySchema,
  oneOf: ['url', 'ssh_url'],
} as const satisfies PipelineRequest

/** `POST /projects/{name}/upload`. */
export const UPLOAD_REQUEST = {
  type: 'clone',
  schema: UploadInputSchema,
  isFor: input => 'upload' in input,
} as const satisfies PipelineRequest
