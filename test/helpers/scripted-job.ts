import type { JsonObject } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { JobDefinition } from '../../src/jobs/job-definition.ts'

/** A pipeline of a test; its project and exclusive key are fields of the body. */
export function scriptedJob(
  run: (context: JobContext) => Promise<unknown>,
  consumes?: JobDefinition['consumes'],
): JobDefinition {
  const text = (input: JsonObject, field: string) => (typeof input[field] === 'string' ? input[field] : null)
  return {
    run,
    projectName: input => text(input, 'project_name'),
    exclusiveKey: input => text(input, 'exclusive'),
    consumes,
  }
}
