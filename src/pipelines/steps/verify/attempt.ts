import type { JobContext } from '../../../jobs/job-context.ts'
import { hindranceIn, type Hindrance } from './could-not-run.ts'
import { runTests, type TestRun, type TestRunDeps } from './test-run.ts'

/** A run of tests, or why there was none. */
export type Attempt = TestRun | { hindrance: Hindrance }

/**
 * Runs tests where that is possible, within a step.
 *
 * @param isAsked - As of `hindranceIn`: a project's own command that cannot be run does not fail the job, one that was
 * asked for does.
 */
export async function attemptTests(
  job: JobContext,
  deps: TestRunDeps,
  { isAsked, ...run }: Parameters<typeof runTests>[2] & { isAsked: boolean },
): Promise<Attempt> {
  try {
    return await runTests(job, deps, run)
  } catch (error) {
    const hindrance = hindranceIn(error, isAsked)
    if (hindrance === null) throw error
    return { hindrance }
  }
}
