import type { ImproveInput } from '../../contract/generation.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { IMPROVE_REQUEST } from './body.ts'
import type { ImproveDeps } from './run.ts'

const BASE_FROM = ['files', 'project_name', 'repository']
const SHOWN_FROM = [...BASE_FROM, 'prompt', 'select', 'select_toml', 'allow_paths', 'lint']

const readInput = (input: JsonObject): ImproveInput =>
  readStoredBody(input, { type: IMPROVE_REQUEST.type, url: IMPROVE_REQUEST.route.url, texts: ['prompt'] })

/** gpt-engineer's improvement of existing code by checked diffs. */
export function createImprovePipeline(deps: ImproveDeps): JobDefinition {
  return {
    projectName: input => readInput(input).project_name ?? null,
    exclusiveKey: () => null,
    consumes: {
      files: BASE_FROM,
      base: BASE_FROM,
      lint: [...BASE_FROM, 'lint', 'allow_paths'],
      select: SHOWN_FROM,
      improve: [...SHOWN_FROM, 'model', 'temperature'],
      pull_request: ['draft'],
      diff: SHOWN_FROM,
    },
    // few servers get such a job: what it takes is loaded with the first one
    run: async job => (await import('./run.ts')).runImprove(job, deps, readInput(job.input)),
  }
}
