import type { BisectInput, BisectResult, Probe } from '../../contract/bisect.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Bisecting, BisectNext, NamedCommit } from '../../repos/history/bisect.ts'
import { NO_CHANGES } from '../steps/base/base-files.ts'
import { committedFiles, type CommitAccess } from '../steps/base/committed-files.ts'
import { counted } from '../steps/counted.ts'
import { endOf } from '../steps/program/heal.ts'
import { runProgram, type RunDeps } from '../steps/program/run-program.ts'
import type { NeedEnvironment } from '../steps/environment.ts'
import { findRange, type Range, type RangeDeps } from './range.ts'

/** What bisecting needs. */
export interface BisectDeps extends RangeDeps {
  git: RangeDeps['git'] & Bisecting & CommitAccess
  sandbox: RunDeps
  needEnvironment: NeedEnvironment
}

/** The exit code that says that nothing can be said of a commit, as of `git bisect run`. */
const SKIP = 125
/** Exit codes from here on end the search: of shells they tell of signals. */
const FIRST_STOP = 128
const MAX_CANDIDATES = 100
/** A commit is lost to the search when it is skipped, so that a registry that is down for a moment may not do that. */
const INSTALLS = 2

const short = (commit: string): string => commit.slice(0, 10)

/** A commit that is to be tested, as people know it. */
type Candidate = Pick<NamedCommit, 'commit' | 'summary'>

/** What an exit code says of a commit. */
function outcomeOf(exitCode: number): Probe['outcome'] {
  if (exitCode === 0) return 'good'
  return exitCode === SKIP ? 'skipped' : 'bad'
}

/** Runs the command at one commit. @throws {FaultlineError} BISECT_STOPPED: how it ended says nothing. */
async function testCommit(
  job: JobContext,
  { git, sandbox, needEnvironment }: BisectDeps,
  { project_name: projectName, command, timeout_s: timeout }: BisectInput,
  { repository, commit }: { repository: string; commit: string },
): Promise<Probe> {
  const environment = await needEnvironment(job, { projectName, repository, commit }, { installs: INSTALLS })
  if (environment.status === 'failed') {
    const reason = `its environment could not be made: ${environment.reason}`
    return { commit, outcome: 'skipped', exitCode: null, durationMs: 0, reason }
  }
  const { exitCode, killedBy, durationMs } = await runProgram(job, sandbox, {
    argv: ['/bin/bash', '-c', command],
    base: committedFiles(git, { repository, commit }),
    changes: NO_CHANGES,
    network: 'none',
    layer: environment.status === 'ready' ? environment.layer : undefined,
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  })
  if (exitCode === null || exitCode >= FIRST_STOP) {
    throw new FaultlineError(
      'BISECT_STOPPED',
      `How the command ended at the commit ${short(commit)} says neither good nor bad: ` +
        `${endOf({ exitCode, killedBy })}.`,
      'Let it end with a code below 128, as "timeout 60 COMMAND || exit 1" does, or with 125 to skip the commit, and ' +
        'start again. With a longer "timeout_s" also POST /jobs/{id}/retry from the step that it ended in goes on.',
    )
  }
  const outcome = outcomeOf(exitCode)
  return { commit, outcome, exitCode, durationMs, ...(outcome === 'skipped' ? { reason: `exit code ${SKIP}` } : {}) }
}

const saidOf = ({ outcome, exitCode, reason = '' }: Probe): string =>
  outcome === 'skipped' ? `skipped (${reason})` : `${outcome} (exit code ${exitCode})`

/** What an end of the range must be. @throws {FaultlineError} VALIDATION_FAILED: it is not. */
function requireOutcome(probe: Probe, wanted: 'good' | 'bad', name: string): void {
  if (probe.outcome === wanted) return
  const { outcome, exitCode, reason = '' } = probe
  const what =
    outcome === 'skipped'
      ? `cannot be tested: ${reason}`
      : `is not ${wanted}: the command ended with exit code ${exitCode}`
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `The commit ${short(probe.commit)}, which was given as ${wanted} (${name}), ${what}.`,
    wanted === 'good'
      ? 'Name a commit at which the command succeeds with "good", or change the command.'
      : 'Name a commit at which the command fails with "bad", or change the command.',
  )
}

/** @throws {FaultlineError} VALIDATION_FAILED: what is bad was there before the good one. */
function requireGoodBase({ outcome, commit, exitCode }: Probe, { good }: Range): void {
  if (outcome !== 'bad') return
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `good (${short(good)}) is on another branch than bad, and where they part, at ${short(commit)}, the command ` +
      `fails (exit code ${exitCode}): so it was mended on the way to good, and not broken on the way to bad.`,
    'Name a commit with "good" that the bad one is built on.',
  )
}

/** A search under way: what has been tested, and how the next commit is. */
function createSearch(job: JobContext, deps: BisectDeps, input: BisectInput, range: Range) {
  const { repository } = range
  const probes: Probe[] = []

  async function probe(step: string, candidate: Candidate, after: string): Promise<Probe> {
    const { commit, summary } = candidate
    const tested = await job.step(step, () => testCommit(job, deps, input, { repository, commit }))
    probes.push(tested)
    job.log(`${short(commit)} "${summary}": ${saidOf(tested)}${after}`)
    return tested
  }

  /** The commit with its subject, as a step. */
  const named = (step: string, commits: readonly string[]): Promise<NamedCommit[]> =>
    job.step(step, signal => deps.git.describeCommits({ repository, commits }, signal))

  return { probes, probe, named }
}

type Search = ReturnType<typeof createSearch>

/** The two ends, and where they part, are tested first. */
async function checkRange(
  job: JobContext,
  { probe, probes, named }: Search,
  input: BisectInput,
  range: Range,
): Promise<void> {
  const { good, bad, bases } = range
  const names = new Map((await named('ends', [good, bad, ...bases])).map(one => [one.commit, one]))
  const check = (step: string, commit: string): Promise<Probe> => {
    const { summary = '' } = names.get(commit) ?? {}
    job.progress({ step: 'check', done: probes.length, total: null, message: `${short(commit)} ${summary}` })
    return probe(step, { commit, summary }, '')
  }
  requireOutcome(await check('check_good', good), 'good', input.good)
  requireOutcome(await check('check_bad', bad), 'bad', input.bad ?? 'the indexed commit')
  for (const base of bases) {
    if (base !== good) requireGoodBase(await check('check_base', base), range)
  }
}

const stepsText = (steps: number): string => (steps === 0 ? '' : `; about ${counted(steps, 'more run')}`)

/** Tests commits until nothing is left to test. */
async function search(
  job: JobContext,
  deps: BisectDeps,
  { probe, probes }: Search,
  range: Range,
): Promise<Exclude<BisectNext, { kind: 'test' }>> {
  const { repository, good, bad } = range
  const state = { repository, bad, good: [good], skipped: new Array<string>() }
  for (;;) {
    const { next, summary } = await job.step('next', async signal => {
      const chosen = await deps.git.nextToBisect(state, signal)
      if (chosen.kind !== 'test') return { next: chosen, summary: '' }
      const [found] = await deps.git.describeCommits({ repository, commits: [chosen.commit] }, signal)
      return { next: chosen, summary: found?.summary ?? '' }
    })
    if (next.kind !== 'test') return next
    const { commit, left, steps } = next
    job.progress({
      step: 'bisect',
      done: probes.length,
      total: probes.length + steps + 1,
      message: `${counted(left, 'commit')} left to test after ${short(commit)} ${summary}`,
    })
    const { outcome } = await probe('probe', { commit, summary }, stepsText(steps))
    if (outcome === 'good') state.good.push(commit)
    else if (outcome === 'bad') state.bad = commit
    else state.skipped.push(commit)
  }
}

/**
 * Finds the first bad commit between a good and a bad one by running a command at some of them. Every run is a step, so
 * that a search that was cut off goes on where it was.
 */
export async function runBisect(job: JobContext, deps: BisectDeps, input: BisectInput): Promise<BisectResult> {
  job.progress({ step: 'range', done: 0, total: null, message: 'looking for the commits' })
  const found = await job.step('range', signal => findRange(job, deps, input, signal))
  const { repository, good, bad, commits } = found
  const searching = createSearch(job, deps, input, found)
  await checkRange(job, searching, input, found)
  const end = await search(job, deps, searching, found)
  const { probes, named } = searching
  const candidates = end.kind === 'found' ? [end.commit] : end.candidates
  const words = await named('result', candidates.slice(0, MAX_CANDIDATES))
  const [first = null] = words
  return {
    repository,
    good,
    bad,
    commits,
    firstBad: end.kind === 'found' ? first : null,
    candidates: end.kind === 'found' ? [] : words,
    candidatesTotal: end.kind === 'found' ? 0 : candidates.length,
    probes,
    skipped: probes.flatMap(({ outcome, commit, reason = '' }) => (outcome === 'skipped' ? [{ commit, reason }] : [])),
  }
}
