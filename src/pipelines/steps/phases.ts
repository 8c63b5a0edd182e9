import type { JobContext } from '../../jobs/job-context.ts'

/** Tells a job's progress by phases, in their order: `done` counts those that are over. */
export function createPhases(
  job: Pick<JobContext, 'progress'>,
  phases: readonly string[],
): (phase: string, message: string) => void {
  return (phase, message) =>
    job.progress({ step: phase, done: Math.max(0, phases.indexOf(phase)), total: phases.length, message })
}
