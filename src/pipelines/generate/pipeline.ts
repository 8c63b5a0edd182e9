import type { GenerateInput } from '../../contract/generation.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { GENERATE_REQUEST } from './body.ts'
import type { GenerateDeps } from './run.ts'

const CODE_FROM = ['prompt', 'mode', 'files', 'max_questions', 'model', 'temperature']

const readInput = (input: JsonObject): GenerateInput =>
  readStoredBody(input, { type: GENERATE_REQUEST.type, url: GENERATE_REQUEST.route.url, texts: ['prompt'] })

/** gpt-engineer's generation: questions where they are wanted, the code, a script that runs it, and the run. */
export function createGeneratePipeline(deps: GenerateDeps): JobDefinition {
  return {
    projectName: () => null,
    exclusiveKey: () => null,
    consumes: { files: ['files'], clarify: CODE_FROM, gen_code: CODE_FROM, gen_entrypoint: CODE_FROM },
    // few servers get such a job: what it takes is loaded with the first one
    run: async job => (await import('./run.ts')).runGenerate(job, deps, readInput(job.input)),
  }
}
