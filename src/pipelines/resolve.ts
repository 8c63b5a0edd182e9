import { FaultlineError } from '../core/errors.ts'
import type { JsonObject } from '../core/job.ts'
import type { Resolution } from '../core/resolution.ts'
import type { JobDefinition } from '../jobs/jobs.ts'

/** The body of `POST /resolve`, as the job keeps it. */
export type ResolveInput = {
  stacktrace: string
  project_name: string
  mode?: 'answer' | 'context'
  max_context_tokens?: number
  ref?: string
  exception?: number
  locale?: string
  model?: string
  temperature?: number
}

export interface ResolvePipelineDeps {
  resolve: (input: ResolveInput, signal: AbortSignal) => Promise<Resolution>
}

/** A resolution as a job, for clients that do not want to hold a connection open. Its result is a list. */
export function createResolvePipeline ({ resolve }: ResolvePipelineDeps): JobDefinition {
  return {
    projectName: input => asInput(input).project_name,
    exclusiveKey: () => null,
    async run (context) {
      const input = asInput(context.input)
      const resolution = await context.step('resolve', signal => resolve(input, signal))
      context.addUsage(resolution.usage)
      return [resolution] satisfies Resolution[]
    },
  }
}

function asInput (input: JsonObject): ResolveInput {
  if (typeof input.stacktrace !== 'string' || typeof input.project_name !== 'string') throw new FaultlineError('BAD_REQUEST', 'The stored body of this resolve job is not complete.', 'POST /resolve again.')
  return input as ResolveInput
}
