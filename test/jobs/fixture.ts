import { type Test } from 'tap'
import type { JobEvent, JsonObject } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { JobDefinition } from '../../src/jobs/job-definition.ts'
import { openJobs as open } from '../helpers/open-jobs.ts'

export type Run = (context: JobContext) => Promise<JsonObject>

export function definition(run: Run): JobDefinition {
  return {
    run,
    exclusiveKey: input => (typeof input.project === 'string' ? `project:${input.project}` : null),
    projectName: input => (typeof input.project === 'string' ? input.project : null),
  }
}

export function openCloneJobs(t: Test, run: Run, options: Parameters<typeof open>[2] = {}) {
  return open(t, { clone: definition(run) }, options)
}

/** Resolves when the signal fires, as a step that is cut off does. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

export async function collect(events: AsyncIterable<JobEvent>): Promise<JobEvent[]> {
  const all: JobEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

export const never = new AbortController().signal
