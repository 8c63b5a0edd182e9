import type { JsonObject } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { JobDefinition } from '../../src/jobs/job-definition.ts'

const text = (input: JsonObject, field: string) => (typeof input[field] === 'string' ? input[field] : null)

/** A pipeline of a test; its project and exclusive key are fields of the body. */
export function scriptedJob(
  run: (context: JobContext) => Promise<unknown>,
  consumes?: JobDefinition['consumes'],
): JobDefinition {
  return {
    run,
    projectName: input => text(input, 'project_name'),
    exclusiveKey: input => text(input, 'exclusive'),
    consumes,
  }
}

/** A pipeline of a test that runs beside the others, on the node that its body names. */
export const installJob = (run: (context: JobContext) => Promise<unknown>): JobDefinition => ({
  ...scriptedJob(run),
  isBeside: true,
  runsOn: input => text(input, 'node'),
})
