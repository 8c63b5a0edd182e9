import type { FixInput } from '../../contract/generation.ts'
import type { FixCandidate, FixResult } from '../../contract/generation-results.ts'
import type { Guard } from '../../contract/guards.ts'
import { SuspectsSchema } from '../../contract/resolution.ts'
import { toWire } from '../../contract/wire.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { NO_CHANGES } from '../steps/base/base-files.ts'
import type { DeliverDeps } from '../steps/result/deliver.ts'
import type { PublishDeps } from '../steps/result/publish.ts'
import { createPhases } from '../steps/phases.ts'
import { projectBase, type ProjectBase, type ProjectBaseDeps } from '../steps/base/project-base.ts'
import type { Candidate } from '../steps/result/candidates.ts'
import { lookForGuards, withGuards, type FindGuards } from '../steps/guards.ts'
import { propose } from '../steps/result/propose.ts'
import type { ChecksOf } from '../environment/plan.ts'
import type { EnvironmentState, NeedEnvironment } from '../steps/environment.ts'
import { whyMissing } from '../steps/verify/could-not-run.ts'
import { planVerification, type VerificationPlan } from '../steps/verify/plan.ts'
import { reproduce, type Reproduced, type ReproduceDeps } from '../steps/verify/reproduce.ts'
import { createVerifier, type VerifiedChange } from '../steps/verify/verification.ts'
import { countWarnings } from '../steps/verify/warnings.ts'
import type { TracePlace } from '../../test-runners/named-test.ts'
import { plainTitle } from '../../text/markdown/forge-safe.ts'
import { fixEvidence } from './evidence.ts'
import { faultIn, requestOf, traceOf, type LocateDeps, type LocatedFault } from './dialogue.ts'

/** What fixing needs. */
export interface FixDeps
  extends Omit<ProjectBaseDeps, 'git'>, LocateDeps, Omit<ReproduceDeps, 'redact'>, Omit<PublishDeps, 'git'> {
  checksOf: ChecksOf
  needEnvironment: NeedEnvironment
  findGuards: FindGuards
  git: ProjectBaseDeps['git'] & DeliverDeps['git'] & PublishDeps['git']
}

/** What is found out about a change. */
type FixChecks = VerifiedChange & { guards: Guard[]; warnings: number }

const MAX_REFINEMENTS = 3

const nameOf = ({ error }: LocatedFault): string => (error === '' ? 'the reported failure' : plainTitle(error))
const subjectOf = (fault: LocatedFault): string => `Fix ${nameOf(fault)}`
const testSubjectOf = (fault: LocatedFault): string => `Add a test for ${nameOf(fault)}`

/** What a fix without a test of its own begins with. */
const NO_TEST: Partial<Reproduced> & Pick<Reproduced, 'changes'> = { changes: NO_CHANGES }

/** What a fix goes through, in its order. */
const phasesOf = ({ wantsTest, hasRuns }: { wantsTest: boolean; hasRuns: boolean }): string[] => [
  'resolve',
  ...(hasRuns ? ['environment'] : []),
  ...(wantsTest ? ['reproduce'] : []),
  ...(hasRuns ? ['baseline'] : []),
  'improve',
  ...(hasRuns ? ['verify'] : []),
  'review_changes',
  'commit',
]

/** The places of the trace in one repository. */
const placesOf = ({ frames }: LocatedFault, of: string): TracePlace[] =>
  frames.flatMap(({ path, repository, function: name, codeLine, line }) => {
    const at = codeLine ?? line
    return path === null || repository !== of ? [] : [{ path, function: name, line: at }]
  })

/** A fix stays in the code that the trace led to; other files have to be named by the person who asks. */
function onlyShown(
  { refusal }: ProjectBase,
  { shown, own }: { shown: readonly string[]; own: readonly string[] },
  isAllowed: (path: string) => boolean,
): ProjectBase['refusal'] {
  const known = new Set(shown)
  return async path => {
    if (own.includes(path)) return `${path} is the test that shows the failure; the fix has to make it pass as it is.`
    const refused = await refusal(path)
    if (refused !== null || known.has(path) || isAllowed(path)) return refused
    return `${path} is not among the files that were shown, and a fix may only change those; allow_paths can name it.`
  }
}

/** A candidate without what it printed. */
const toResult = ({ number, isChosen, votes, diff, checks, note }: Candidate<FixChecks>): FixCandidate => ({
  number,
  chosen: isChosen,
  votes,
  diff,
  verification: checks?.verification ?? null,
  verificationReason: checks?.verificationReason ?? null,
  tests: checks?.tests ?? null,
  runs: checks?.runs ?? [],
  guards: checks?.guards ?? [],
  warnings: checks?.warnings ?? null,
  note,
})

/** One fix under way: what was asked, of which commit, and how its progress is told. */
interface Fixing {
  input: FixInput
  project: ProjectBase
  located: LocatedFault
  plan: VerificationPlan
  enter: ReturnType<typeof createPhases>
}

/** The code behind the trace, as a step. */
function locateFault(job: JobContext, { locate }: LocateDeps, input: FixInput, at: ProjectBase['at']) {
  return job.step('resolve', async signal =>
    faultIn(
      await locate(input, {
        signal,
        waitForSuspects: input.push === true, // a pull request names them
        onSuspects: found => job.suspects(toWire(SuspectsSchema, found)),
      }),
      at.repository,
    ),
  )
}

/** What the change is to be checked with: an environment, a test that shows the failure, the runs before the change. */
async function prepareChecks(job: JobContext, deps: FixDeps, { input, project, located, plan, enter }: Fixing) {
  const { base, at, refusal } = project
  const { model, temperature, reproduce: wantsTest = false, stacktrace: trace } = input
  const tests = { ...deps, redact: deps.model.redact }
  const hasRuns = plan.whole !== null
  const needEnvironment = (): Promise<EnvironmentState> => deps.needEnvironment(job, at)
  if (hasRuns) enter('environment', 'making ready what the tests need')
  const missing = hasRuns ? await job.step('environment', () => whyMissing(needEnvironment(), plan.isAsked)) : null
  const writeTest = (): Promise<Reproduced> => {
    enter('reproduce', 'having a test written that shows the failure')
    const failing = located.failing ?? null
    return reproduce(job, tests, {
      base,
      needEnvironment,
      missing,
      whole: plan.whole,
      isAsked: plan.isAsked,
      failing,
      shown: located.paths,
      trace: traceOf(input),
      context: located.context,
      refusal,
      model,
      temperature,
    })
  }
  const test = wantsTest ? await writeTest() : NO_TEST
  const reproduction = test.check
  const verifier = createVerifier(job, tests, { base, needEnvironment, plan, missing, trace, reproduction })
  if (hasRuns) enter('baseline', 'running the tests before the change')
  return { test, verifier, baseline: await verifier.baseline() }
}

/** Asks for the change, checks each answer, and delivers what was not rejected. */
function proposeFix(
  job: JobContext,
  deps: FixDeps,
  { input, project, located, plan, enter }: Fixing,
  { test, verifier, baseline }: Awaited<ReturnType<typeof prepareChecks>>,
) {
  const { base, at } = project
  const own = test.changes.changed
  return propose<FixChecks>(job, deps, {
    at,
    improve: {
      base,
      changes: test.changes,
      shown: [...located.paths, ...own],
      request: requestOf(input, located, own),
      outline: deps.outline,
      asked: '',
      maxRefinements: input.max_refinements ?? MAX_REFINEMENTS,
      refusal: onlyShown(project, { shown: located.paths, own }, deps.globTest(input.allow_paths ?? [])),
      model: input.model,
      temperature: input.temperature,
    },
    first: own.length === 0 ? undefined : { paths: own, prompt: testSubjectOf(located) },
    candidates: input.candidates,
    prompt: subjectOf(located),
    push: input.push,
    draft: input.draft,
    allowPartial: input.allow_partial === true,
    async check(changes) {
      if (plan.whole !== null) enter('verify', 'running the tests after the change')
      const verified = await verifier.after(changes, baseline)
      const guards = await lookForGuards(job, deps.findGuards, { base, changes, located })
      const printed = verified.after === null ? 0 : countWarnings(verified.after)
      return { ...withGuards(verified, guards), warnings: guards.length + printed }
    },
    evidence: checks => fixEvidence(input, located, checks),
    whether: input.review ?? 'ask',
    enter,
  })
}

/**
 * From a stack trace to a checked change on a branch: the code behind it, a change of that code alone, and a command
 * that tells whether it helped.
 */
export async function runFix(job: JobContext, deps: FixDeps, input: FixInput): Promise<FixResult> {
  createPhases(job, ['resolve'])('resolve', 'finding the code behind the trace')
  const project = await projectBase(job, deps, {
    projectName: input.project_name,
    repository: input.repository,
    allowPaths: input.allow_paths,
  })
  const { base, at } = project
  const located = await locateFault(job, deps, input, at)
  const plan = await planVerification(job, deps, {
    base,
    at,
    asked: input.verify?.command,
    trace: { text: input.stacktrace, places: placesOf(located, at.repository) },
  })
  const wantsTest = input.reproduce === true
  const enter = createPhases(job, phasesOf({ wantsTest, hasRuns: plan.whole !== null }))
  const fixing = { input, project, located, plan, enter }
  const prepared = await prepareChecks(job, deps, fixing)
  const { result, checks, candidates } = await proposeFix(job, deps, fixing, prepared)
  const { warnings: _warnings, ...checked } = checks
  return {
    ...result,
    resolution: { id: located.id, frames: located.frames },
    ...checked,
    candidates: candidates.map(toResult),
    baseline: prepared.baseline.whole?.shown.run ?? null,
    reproduction: prepared.test.result ?? null,
  }
}
