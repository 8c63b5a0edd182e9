import type { ProgramRun } from '../../../contract/generation-results.ts'
import type { ChangedTests, Verification, VerifiedRun } from '../../../contract/verification.ts'
import { isTestFile } from '../../../core/test-files.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { splitChanges, type Changes } from '../base/base-files.ts'
import { conclude, type Compared, type Evidence } from './conclude.ts'
import type { Attempt } from './attempt.ts'
import { createCommandRuns, failed } from './command-runs.ts'
import { inWords, type Hindrance } from './could-not-run.ts'
import type { VerificationPlan } from './plan.ts'
import type { Settled } from './settle.ts'
import type { CheckingCommand, Testbed, TestRunDeps } from './test-run.ts'

/** What a change is checked with. */
interface VerificationOptions extends Testbed {
  plan: VerificationPlan
  /** Why the environment could not be made; null where it is there, or nothing is needed. */
  missing: Hindrance | null
  /** The text of the fault: its own error is no reason why tests could not be run. */
  trace: string
  /** A test that is new and shows the fault, with how it fails; it takes the place of the narrow command. */
  reproduction?: { command: CheckingCommand; before: Settled; paths: readonly string[] }
}

/** What the runs before a change came to. */
type Baseline = {
  narrow: Settled | null
  whole: Settled | null
  /** Why nothing could be run; null where something was. */
  hindrance: Hindrance | null
}

/** What is said of a change, as results and reviews have it. */
export interface VerifiedChange {
  verification: Verification
  verificationReason: string | null
  tests: ChangedTests
  runs: VerifiedRun[]
  after: ProgramRun | null
}

const NO_TESTS: ChangedTests = { fixed: [], broken: [], flaky: [] }
const NO_COMMAND =
  'Nothing was run: the request has no "verify" and the project no checks.test. ' +
  'Send {"verify": {"command": "…"}}, or PATCH /projects/{name} {"checks": {"test": "…"}}.'

const hasTests = ({ shown: { report } }: Settled): boolean => report !== null && report.tests.length > 0

/** Whether a command for one test failed without running any: its runner did not take it as it was made up. */
const ranNothing = (alone: Settled, whole: Settled): boolean =>
  alone.state === 'failed' && !hasTests(alone) && hasTests(whole)

/** What was run, in the order of the runs. */
function runsOf(
  { narrow, whole, oldTests }: Evidence,
  commands: { narrow: CheckingCommand | null; whole: CheckingCommand },
): VerifiedRun[] {
  const compared = ({ kind, command }: CheckingCommand, { before, after }: Compared): VerifiedRun => ({
    kind,
    command,
    before: before.shown.run.exitCode,
    after: after.at(-1)?.run.exitCode ?? null,
  })
  const { command } = commands.whole
  return [
    ...(narrow === null || commands.narrow === null ? [] : [compared(commands.narrow, narrow)]),
    compared(commands.whole, whole),
    ...(oldTests === null ? [] : [{ kind: 'old_tests' as const, command, before: null, after: oldTests.run.exitCode }]),
  ]
}

/** Checks changes, one after the other, against the same runs without any. */
interface Verifier {
  /** Runs what there is to run without any change. */
  baseline: () => Promise<Baseline>
  /** Runs the same with changes, and says what that shows. */
  after: (changes: Changes, baseline: Baseline) => Promise<VerifiedChange>
}

/**
 * Checks changes by runs of tests before and after: the test of the trace alone first, then the whole. Each run is a
 * step of its own.
 */
export function createVerifier(job: JobContext, deps: TestRunDeps, options: VerificationOptions): Verifier {
  const { base, needEnvironment, plan, missing, trace, reproduction } = options
  const { whole } = plan
  const narrow = reproduction?.command ?? plan.narrow

  const { attempt, whyNot, settled, compared } = createCommandRuns(job, deps, {
    base,
    needEnvironment,
    isAsked: plan.isAsked,
    trace,
  })

  /** Tests of the commit that a change edits or deletes, also by a test that is added to them. */
  async function editedTests({ changed, deleted }: Changes): Promise<string[]> {
    const edited: string[] = []
    for (const path of [...changed, ...deleted].filter(one => isTestFile(one))) {
      const [before, now] = [await base.read(path), deleted.includes(path) ? null : await job.files.read(path)]
      if (before !== null && before !== now?.toString()) edited.push(path)
    }
    return edited
  }

  async function withOldTests(checking: CheckingCommand, changes: Changes): Promise<Attempt | null> {
    const edited = await job.step('verify.edited_tests', () => editedTests(changes))
    if (edited.length === 0) return null
    return attempt('verify.old_tests', checking, splitChanges(changes, edited).rest)
  }

  /** The narrow command without a change; a test that shows the fault has been run by then. */
  async function beforeAlone(): Promise<Settled | { hindrance: Hindrance } | null> {
    if (reproduction !== undefined) return reproduction.before
    return narrow === null ? null : settled('baseline.narrow', narrow)
  }

  const couldNotRun = (hindrance: Hindrance, runs: VerifiedRun[], after: ProgramRun | null): VerifiedChange => ({
    verification: 'could_not_run',
    verificationReason: inWords(hindrance),
    tests: NO_TESTS,
    runs,
    after,
  })

  /** What the runs say, after that of the old tests where the change edited some. */
  async function judge(
    compared: Pick<Evidence, 'narrow' | 'whole'>,
    { whole: checking, changes }: { whole: CheckingCommand; changes: Changes },
  ): Promise<VerifiedChange> {
    const { before, after } = compared.whole
    const last = after.at(-1) ?? before.shown
    const oldTests = failed(last) ? null : await withOldTests(checking, changes)
    if (oldTests !== null && 'hindrance' in oldTests) return couldNotRun(oldTests.hindrance, [], last.run)
    const evidence = { ...compared, oldTests }
    const runs = runsOf(evidence, { narrow, whole: checking })
    // what began before the change and does not after it is a fault of the change
    const hasBegun = (await whyNot(before.shown)) === null
    const hindrance = failed(last) && !hasBegun ? await whyNot(last) : null
    if (hindrance !== null) return couldNotRun(hindrance, runs, last.run)
    return { ...conclude(evidence), runs, after: last.run }
  }

  return {
    async baseline() {
      if (missing !== null) return { narrow: null, whole: null, hindrance: missing }
      if (whole === null) return { narrow: null, whole: null, hindrance: null }
      const alone = await beforeAlone()
      const all = await settled('baseline', whole)
      if ('hindrance' in all) return { narrow: null, whole: null, hindrance: all.hindrance }
      const isUseless = alone === null || 'hindrance' in alone || (reproduction === undefined && ranNothing(alone, all))
      return { narrow: isUseless ? null : alone, whole: all, hindrance: null }
    },

    async after(changes, baseline) {
      if (baseline.hindrance !== null) return couldNotRun(baseline.hindrance, [], null)
      if (whole === null || baseline.whole === null) {
        const verificationReason = NO_COMMAND
        return { verification: 'unverified', verificationReason, tests: NO_TESTS, runs: [], after: null }
      }
      const { narrow: before } = baseline
      const isAlone = narrow !== null && before !== null
      const alone = isAlone ? await compared('verify.narrow', { checking: narrow, before, changes }) : null
      const all = await compared('verify', { checking: whole, before: baseline.whole, changes })
      if ('hindrance' in all) return couldNotRun(all.hindrance, [], null)
      const isKnown = alone !== null && !('hindrance' in alone)
      return judge({ narrow: isKnown ? alone : null, whole: all }, { whole, changes })
    },
  }
}
