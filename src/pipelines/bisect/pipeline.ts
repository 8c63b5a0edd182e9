import type { BisectInput } from '../../contract/bisect.ts'
import type { JsonObject } from '../../core/job.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { BISECT_REQUEST } from './body.ts'
import type { BisectDeps } from './run.ts'

const readInput = (input: JsonObject): BisectInput =>
  readStoredBody(input, {
    type: BISECT_REQUEST.type,
    url: BISECT_REQUEST.route.url,
    texts: ['project_name', 'good', 'command'],
  })

/**
 * Finds the first bad commit between a good and a bad one by running a command at some of them. Every run is a step, so
 * that a search that was cut off goes on where it was.
 */
export function createBisectPipeline(deps: BisectDeps): JobDefinition {
  const range = ['project_name', 'repository', 'good', 'bad']
  return {
    projectName: input => readInput(input).project_name,
    exclusiveKey: () => null,
    // each probe needs the first one, which a command says all about; the time may be longer for the rest
    consumes: { range, ends: range, check_good: ['command'] },
    // few servers get such a job: what it takes is loaded with the first one
    run: async job => (await import('./run.ts')).runBisect(job, deps, readInput(job.input)),
  }
}
