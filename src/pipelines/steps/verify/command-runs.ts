import type { JobContext } from '../../../jobs/job-context.ts'
import { compareTests } from '../../../test-runners/reports/compare.ts'
import { NO_CHANGES, type Changes } from '../base/base-files.ts'
import { attemptTests, type Attempt } from './attempt.ts'
import type { Compared } from './conclude.ts'
import { hindranceOf, type Hindrance } from './could-not-run.ts'
import { settle, type Settled } from './settle.ts'
import type { CheckingCommand, Testbed, TestRun, TestRunDeps } from './test-run.ts'

/** What commands run on, and what may be said of those that cannot run. */
interface CommandRunsOptions extends Testbed {
  /** Whether the request named the commands: then one that cannot be run fails the job. */
  isAsked: boolean
  /** The text of the fault that is to be mended; empty for none. */
  trace: string
}

/** Runs commands over a base without and with changes, each run as a step. */
interface CommandRuns {
  attempt: (step: string, checking: CheckingCommand, changes: Changes) => Promise<Attempt>
  whyNot: (test: TestRun) => Promise<Hindrance | null>
  settled: (step: string, checking: CheckingCommand) => Promise<Settled | { hindrance: Hindrance }>
  compared: (
    step: string,
    run: { checking: CheckingCommand; before: Settled; changes: Changes },
  ) => Promise<Compared | { hindrance: Hindrance }>
}

/** Whether a run did not end with exit code 0. */
export const failed = ({ run }: TestRun): boolean => run.exitCode !== 0

/** Whether a failure after a change may be chance: the same passed before. */
function mayBeChance(after: TestRun, { state, shown }: Settled): boolean {
  if (!failed(after)) return false
  if (after.report === null || shown.report === null) return state === 'passed'
  return compareTests(shown.report, after.report).broken.length > 0 || state === 'passed'
}

/** The runs of commands before and after changes: how often each is made, and why one could not be. */
export function createCommandRuns(
  job: JobContext,
  deps: TestRunDeps,
  { base, needEnvironment, isAsked, trace }: CommandRunsOptions,
): CommandRuns {
  const attempt = (step: string, checking: CheckingCommand, changes: Changes): Promise<Attempt> =>
    job.step(step, () => attemptTests(job, deps, { base, needEnvironment, changes, checking, isAsked }))

  const whyNot = async (test: TestRun): Promise<Hindrance | null> =>
    hindranceOf(test, { paths: await base.paths(), trace })

  /** Runs until it is known how the command ends without a change. */
  async function settled(step: string, checking: CheckingCommand): Promise<Settled | { hindrance: Hindrance }> {
    const runs: TestRun[] = []
    for (;;) {
      const made = await attempt(step, checking, NO_CHANGES)
      if ('hindrance' in made) return made
      runs.push(made)
      const ended = settle(runs)
      if (ended !== null) return ended
      // what could not be run ends the same the next time
      if ((await whyNot(made)) !== null) return { state: 'failed', shown: made, failed: [], flaky: [] }
    }
  }

  /** Runs with a change; a second time where the failure may be chance. */
  async function compared(
    step: string,
    { checking, before, changes }: { checking: CheckingCommand; before: Settled; changes: Changes },
  ): Promise<Compared | { hindrance: Hindrance }> {
    const first = await attempt(step, checking, changes)
    if ('hindrance' in first) return first
    const isOver = !mayBeChance(first, before) || (await whyNot(first)) !== null
    const second = isOver ? null : await attempt(step, checking, changes)
    return { before, after: second === null || 'hindrance' in second ? [first] : [first, second] }
  }

  return { attempt, whyNot, settled, compared }
}
