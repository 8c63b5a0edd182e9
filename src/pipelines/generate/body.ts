import { GenerateBody } from '../../contract/generation.ts'
import { PIPELINE_PATHS } from '../../contract/job-names.ts'
import type { PipelineRequest } from '../pipeline.ts'

/** `POST /generate`. */
export const GENERATE_REQUEST = {
  type: 'generate',
  schema: GenerateBody,
  route: {
    url: PIPELINE_PATHS.generate,
    operationId: 'generateProgram',
    summary: 'Write a program from a prompt, with a script that runs it, and run it',
    description:
      'The job waits with `clarification` for each question of the model (mode `clarified`) and with `confirm_run` ' +
      'before it runs the program (`execute: ask`). Its files are at `GET /jobs/{id}/files`.',
  },
} as const satisfies PipelineRequest
