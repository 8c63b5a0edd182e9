import { FaultlineError } from '../core/errors.ts'
import type { JsonObject } from '../core/job.ts'
import type { Resolution } from '../core/resolution.ts'
import type { JobDefinition } from '../jobs/jobs.ts'
import { CI_LOG_CONSUMES, resolveCiLog, type CiLogDeps, type CiLogInput } from './ci-log.ts'

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
  /** Of a job only. */
  callback_url?: string
}

/** A resolution as a job, for clients that do not want to hold a connection open, or those of a CI's log. Its result is a list. */
export function createResolvePipeline (deps: CiLogDeps): JobDefinition {
  const { resolve } = deps
  return {
    projectName: input => isCiLog(input) ? input.project_name : asInput(input).project_name,
    exclusiveKey: () => null,
    consumes: CI_LOG_CONSUMES,
    async run (context) {
      if (isCiLog(context.input)) return resolveCiLog(context, context.input, deps)
      const input = asInput(context.input)
      const resolution = await context.step('resolve', async signal => {
        const found = await resolve(input, signal)
        context.addUsage(found.usage, found.redactions) // here, as a step that is not repeated costs nothing again
        return found
      })
      return [resolution] satisfies Resolution[]
    },
  }
}

/** Whether a job came from `POST /webhooks/ci`. */
function isCiLog (input: JsonObject): input is CiLogInput {
  return typeof input.log === 'string' && typeof input.project_name === 'string'
}

function asInput (input: JsonObject): ResolveInput {
  if (typeof input.stacktrace !== 'string' || typeof input.project_name !== 'string') throw new FaultlineError('BAD_REQUEST', 'The stored body of this resolve job is not complete.', 'POST /resolve again.')
  return input as ResolveInput
}
