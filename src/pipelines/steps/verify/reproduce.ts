import type { Reproduction } from '../../../contract/generation-results.ts'
import { shortened } from '../../../core/both-ends.ts'
import type { FaultlineError } from '../../../core/errors.ts'
import { baseName, folderOf } from '../../../core/path-names.ts'
import { isTestFile } from '../../../core/test-files.ts'
import type { OutlineFile } from '../../../edits/parts/units/units-of.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { RunFault } from '../../../resolver/diagnose-run.ts'
import { currentFiles, NO_CHANGES, type BaseFiles, type Changes } from '../base/base-files.ts'
import type { AskModel, ModelChoice } from '../model/ask-model.ts'
import { reproduceAgainTurn, reproduceRequest } from '../model/dialogues.ts'
import { improveFiles, type Talk } from '../model/improve-files.ts'
import { printedFiles, type DiagnoseDeps } from '../program/diagnose.ts'
import { attemptTests } from './attempt.ts'
import { hindranceOf, type Hindrance } from './could-not-run.ts'
import { commandForFile } from './plan.ts'
import { describeFault, describeFaults, hasSameFault, type FaultPlace } from './same-fault.ts'
import { settle, type Settled } from './settle.ts'
import type { CheckingCommand, Testbed, TestRun, TestRunDeps } from './test-run.ts'

/** What writing a test needs. */
export interface ReproduceDeps extends DiagnoseDeps, TestRunDeps {
  model: AskModel
  outline: OutlineFile
}

/** The fault that a test is to show. */
interface ReproduceOptions extends ModelChoice, Testbed {
  /** Why the environment could not be made; null where it is there, or nothing is needed. */
  missing: Hindrance | null
  /** The command of the project that runs tests; null where there is none. */
  whole: CheckingCommand | null
  /** Whether the request named it: without a sandbox such a job fails. */
  isAsked: boolean
  failing: FaultPlace | null
  /** What the model is shown first, as for the fix. */
  shown: readonly string[]
  /** The text of the trace. */
  trace: string
  context: string
  refusal: (path: string) => Promise<string | null>
}

/** A test that shows the fault, or why there is none. */
export interface Reproduced {
  result: Reproduction
  /** What the branch begins with. */
  changes: Changes
  /** For the runs after the fix; undefined where there is no test. */
  check?: { command: CheckingCommand; before: Settled; paths: readonly string[] }
}

/** The first reply and two more. */
const MAX_ATTEMPTS = 3
/** What is wrong with the reply alone: the fix goes on without a test. */
const OF_THIS_REPLY: ReadonlySet<string> = new Set(['REPLY_TRUNCATED', 'REPLY_FILTERED'])
const MAX_TESTS_LISTED = 40
const MAX_TESTS_SHOWN = 2
const SHOWN_CHARS = 8_000

const NO_COMMAND = 'There is no command that runs tests: neither "verify" nor checks.test of the project.'
const NO_PLACE = 'The trace names no place in this repository with the type of an error.'

/** Tests of the project, those first that are named like the code of the fault. */
function nearestTests(paths: readonly string[], shown: readonly string[]): string[] {
  const stems = shown.map(path => baseName(path).replace(/\.\w+$/, ''))
  const rank = (path: string): number => {
    const place = stems.findIndex(stem => baseName(path).includes(stem))
    return place < 0 ? stems.length : place
  }
  return paths.filter(path => isTestFile(path)).sort((a, b) => rank(a) - rank(b))
}

/** Why a file is no place for a test; null for one that is: a file of tests, or a new one beside such files. */
function onlyTests(base: BaseFiles, refusal: ReproduceOptions['refusal']): ReproduceOptions['refusal'] {
  return async path => {
    const refused = await refusal(path)
    if (refused !== null || isTestFile(path)) return refused
    const paths = await base.paths()
    const isBesideTests = paths.some(other => isTestFile(other) && folderOf(other) === folderOf(path))
    if (!paths.includes(path) && isBesideTests && folderOf(path) !== '') return null
    return `${path} is no file of tests, and only those may be written now.`
  }
}

/** Asks for the test, or for another one. */
function askForTest(
  job: JobContext,
  { model, outline }: ReproduceDeps,
  options: ReproduceOptions & { paths: readonly string[]; failing: FaultPlace; whole: CheckingCommand; talk?: Talk },
): ReturnType<typeof improveFiles> {
  const { base, shown, paths, failing, whole, talk } = options
  const tests = nearestTests(paths, shown)
  const request = reproduceRequest({
    stackTrace: options.trace,
    context: options.context,
    fault: describeFault(failing),
    command: whole.command,
    tests: tests.slice(0, MAX_TESTS_LISTED),
  })
  return improveFiles(job, model, {
    base,
    changes: NO_CHANGES,
    step: 'reproduce',
    shown: [...shown, ...tests.slice(0, MAX_TESTS_SHOWN)],
    request,
    earlier: talk,
    outline,
    asked: '',
    maxRefinements: (talk?.refinements ?? 0) + 1,
    refusal: onlyTests(base, options.refusal),
    model: options.model,
    temperature: options.temperature,
  })
}

/** How a test ended that was to show the fault. */
type Trial = TestRun & { faults: RunFault[] }

const shows = (trials: readonly Trial[], failing: FaultPlace): boolean =>
  trials.every(({ run, faults }) => run.exitCode !== 0 && hasSameFault(faults, failing))

/** Why a test does not count, in words for the model and for people. */
function whyNot(trials: readonly Trial[], failing: FaultPlace): string {
  const last = trials.at(-1)
  if (trials.length > 1) return 'It failed as wanted once, and not a second time.'
  if (last === undefined || last.run.exitCode === 0) return 'It passes, although nothing is fixed.'
  const found = last.faults.length === 0 ? 'no error of a known form' : describeFaults(last.faults)
  return `It fails with ${found}; wanted is ${describeFault(failing)}.`
}

/** Why a reply is of no use where only that is wrong. @throws {FaultlineError} Any other fault. */
function whyUnusable(cut: FaultlineError | null): string | null {
  if (cut !== null && !OF_THIS_REPLY.has(cut.code)) throw cut
  return cut?.message ?? null
}

/** Goes on from a test that did not show the fault. */
function again({ turns, refinements }: Talk, problem: string, last?: Trial): Talk {
  const output = last === undefined ? '' : `${last.run.stdout}\n${last.run.stderr}`
  return {
    turns: [...turns, reproduceAgainTurn(problem, shortened(output, SHOWN_CHARS))],
    refinements: refinements + 1,
  }
}

/**
 * Has a model write a test that fails as the trace says: the same type of error, raised in the same function or at the
 * same line, twice. A test that does not is taken back, and the model is asked again with what happened.
 */
export async function reproduce(job: JobContext, deps: ReproduceDeps, options: ReproduceOptions): Promise<Reproduced> {
  const { base, needEnvironment, missing, whole, isAsked, failing, trace } = options
  const none = (attempts: number, reason: string): Reproduced => {
    job.log(`There is no test that shows the fault. ${reason}`)
    return { result: { reproduced: false, paths: [], attempts, reason }, changes: NO_CHANGES }
  }
  if (whole === null) return none(0, NO_COMMAND)
  if (missing !== null) return none(0, `${missing.reason} ${missing.fix}`)
  if (failing === null || failing.type === null) return none(0, NO_PLACE)

  const paths = await base.paths()
  const trial = (checking: CheckingCommand, changes: Changes): Promise<Trial | { hindrance: Hindrance }> =>
    job.step('reproduce.run', async () => {
      const test = await attemptTests(job, deps, { base, needEnvironment, changes, checking, isAsked })
      if ('hindrance' in test) return test
      const program = await printedFiles(test.run, currentFiles(job, base, changes))
      const { faults } = await deps.diagnoseRun({ ...test.run, ending: '' }, program)
      return { ...test, faults }
    })
  /** Tries a test once, and where that shows the fault, a second time. */
  async function tryOut(
    command: CheckingCommand,
    changes: Changes,
  ): Promise<{ trials: Trial[]; hindrance: Hindrance | null }> {
    const first = await trial(command, changes)
    if ('hindrance' in first) return { trials: [], hindrance: first.hindrance }
    if (!shows([first], failing as FaultPlace)) {
      return { trials: [first], hindrance: hindranceOf(first, { paths, trace }) }
    }
    const second = await trial(command, changes)
    if ('hindrance' in second) return { trials: [first], hindrance: second.hindrance }
    return { trials: [first, second], hindrance: hindranceOf(second, { paths, trace }) }
  }

  let talk: Talk | undefined
  let problem = ''
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const improved = await askForTest(job, deps, { ...options, paths, failing, whole, talk })
    const { changes, touched } = improved
    const takeBack = () =>
      job.step('reproduce.take_back', () => job.files.put(new Map(touched.map(path => [path, null]))))
    const why = whyUnusable(improved.cut)
    if (why !== null) {
      await takeBack()
      return none(attempt, why)
    }
    const file = changes.changed.find(path => isTestFile(path))
    const command = file === undefined ? null : await commandForFile(base, { whole, file })
    const { trials, hindrance } = command === null ? { trials: [], hindrance: null } : await tryOut(command, changes)
    const before = settle(trials)
    if (command !== null && before !== null && shows(trials, failing)) {
      const own = [...changes.changed, ...changes.deleted]
      const result = { reproduced: true, paths: own, attempts: attempt, reason: null }
      return { result, changes, check: { command, before, paths: own } }
    }
    await takeBack()
    const last = trials.at(-1)
    if (hindrance !== null) return none(attempt, `${hindrance.reason} ${hindrance.fix}`)
    problem = command === null ? 'The reply wrote no file of tests.' : whyNot(trials, failing)
    job.log(`Test ${attempt} of ${MAX_ATTEMPTS}: ${problem}`)
    talk = again(improved, problem, last)
  }
  return none(MAX_ATTEMPTS, problem)
}
