import type { FeatureInput } from '../../contract/feature.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { FEATURE_REQUEST } from './body.ts'
import type { FeatureDeps } from './run.ts'

const readInput = (input: JsonObject): FeatureInput =>
  readStoredBody(input, {
    type: FEATURE_REQUEST.type,
    url: FEATURE_REQUEST.route.url,
    texts: ['request', 'project_name'],
  })

/**
 * The feature agent of the seed: a plan, skeletons, code, a migration, checks, a branch, and a person who decides.
 */
export function createFeaturePipeline(deps: FeatureDeps): JobDefinition {
  return {
    projectName: input => readInput(input).project_name,
    exclusiveKey: () => null,
    isWhole: true,
    // few servers get such a job: what it takes is loaded with the first one
    run: async job => (await import('./run.ts')).runFeature(job, deps, readInput(job.input)),
  }
}
