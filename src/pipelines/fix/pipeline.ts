import type { FixInput } from '../../contract/generation.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { FIX_REQUEST } from './body.ts'
import type { FixDeps } from './run.ts'

const readInput = (input: JsonObject): FixInput =>
  readStoredBody(input, { type: FIX_REQUEST.type, url: FIX_REQUEST.route.url, texts: ['stacktrace', 'project_name'] })

/**
 * From a stack trace to a checked change on a branch: the code behind it, a change of that code alone, and a command
 * that tells whether it helped.
 */
export function createFixPipeline(deps: FixDeps): JobDefinition {
  return {
    projectName: input => readInput(input).project_name,
    exclusiveKey: () => null,
    consumes: {
      base: ['project_name', 'repository'],
      resolve: ['stacktrace'],
      'verify.plan': ['verify'],
      reproduce: ['reproduce', 'model', 'temperature', 'allow_paths'],
      baseline: ['verify', 'reproduce'],
      improve: ['model', 'temperature', 'allow_paths', 'candidates'],
      pull_request: ['draft'],
    },
    // few servers get such a job: what it takes is loaded with the first one
    run: async job => (await import('./run.ts')).runFix(job, deps, readInput(job.input)),
  }
}
