import type { SelfHealInput } from '../../contract/generation.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { SELF_HEAL_REQUEST } from './body.ts'
import type { SelfHealDeps } from './run.ts'

const BASE_FROM = ['files', 'project_name', 'repository']

const readInput = (input: JsonObject): SelfHealInput =>
  readStoredBody(input, { type: SELF_HEAL_REQUEST.type, url: SELF_HEAL_REQUEST.route.url, texts: ['prompt'] })

/** Runs a program and mends it until it works. */
export function createSelfHealPipeline(deps: SelfHealDeps): JobDefinition {
  return {
    projectName: input => readInput(input).project_name ?? null,
    exclusiveKey: () => null,
    consumes: {
      files: BASE_FROM,
      base: BASE_FROM,
      entrypoint: [...BASE_FROM, 'entrypoint'],
      run: [...BASE_FROM, 'entrypoint', 'network'],
    },
    // few servers get such a job: what it takes is loaded with the first one
    run: async job => (await import('./run.ts')).runSelfHeal(job, deps, readInput(job.input)),
  }
}
