import { test } from 'tap'
import type { JobContext } from '../../../../src/jobs/job-context.ts'
import { NO_CHANGES, sentFiles } from '../../../../src/pipelines/steps/base/base-files.ts'
import type { Attempt } from '../../../../src/pipelines/steps/verify/attempt.ts'
import type { CheckingCommand, TestRun } from '../../../../src/pipelines/steps/verify/test-run.ts'
import { createVerifier } from '../../../../src/pipelines/steps/verify/verification.ts'
import { testRun } from './test-runs.ts'

const command = (kind: CheckingCommand['kind']): CheckingCommand => ({ kind, command: kind, env: {}, reports: [] })
const WHOLE = command('whole')
const NARROW = command('narrow')

const GREEN = testRun(0, { total: 'passed', other: 'passed' })
const RED = testRun(1, { total: 'failed', other: 'passed' })
const ONE_RED = testRun(1, { total: 'failed' })
const ONE_GREEN = testRun(0, { total: 'passed' })
/** What a runner says that does not take its arguments. */
const NOTHING = testRun(2)
/** A report of no tests is as good as none. */
const NO_TESTS = testRun(2, {})
const TEST_PATH = 'test/total.test.js'
const EDITED = { changed: ['total.js', TEST_PATH], deleted: [] }

type Runs = Record<string, Attempt[]>

/** A verifier whose runs end as they are given, by their steps; `left` are those that were not made. */
function verifierOf(
  runs: Runs,
  options: Partial<Parameters<typeof createVerifier>[2]> = {},
  texts: Record<string, string> = {},
) {
  const steps: string[] = []
  const job = {
    files: { read: async (path: string) => Buffer.from(texts[path] ?? '') },
    step: async (name: string, work: () => Promise<unknown>) => {
      steps.push(name)
      if (name === 'verify.edited_tests') return work()
      const run = runs[name]?.shift()
      if (run === undefined) throw new Error(`one run too many: ${name}`)
      return run
    },
  } as unknown as JobContext
  const base = sentFiles(
    new Map([
      [TEST_PATH, 'old'],
      ['total.js', 'old'],
    ]),
    { fill: async () => {} },
  )
  const verifier = createVerifier(job, {} as never, {
    base,
    needEnvironment: async () => ({ status: 'none' }) as never,
    plan: { whole: WHOLE, narrow: NARROW, isAsked: false },
    missing: null,
    trace: '',
    ...options,
  })
  return { ...verifier, steps }
}

test('a command for one test that fails without running any is left out where the whole one ran some', async t => {
  const narrowOf = async (alone: TestRun[], all: TestRun[]) => {
    const { narrow } = await verifierOf({ 'baseline.narrow': alone, baseline: all }).baseline()
    return narrow === null ? null : narrow.state
  }
  t.equal(await narrowOf([NOTHING, NOTHING], [RED, RED]), null)
  t.equal(await narrowOf([NO_TESTS, NO_TESTS], [GREEN]), null)
  t.equal(await narrowOf([NOTHING, NOTHING], [NOTHING, NOTHING]), 'failed', 'no run says which tests there are')
  t.equal(await narrowOf([NOTHING, NOTHING], [NO_TESTS, NO_TESTS]), 'failed')
  t.equal(await narrowOf([ONE_RED, ONE_RED], [RED, RED]), 'failed', 'it ran one')
  t.equal(await narrowOf([testRun(0)], [RED, RED]), 'passed', 'it did not fail')
})

test('a test that was written to show the fault is kept, whatever its runner reports', async t => {
  const before = { state: 'failed' as const, shown: NOTHING, failed: [], flaky: [] }
  const reproduction = { command: NARROW, before, paths: [] }
  const { baseline, steps } = verifierOf({ baseline: [RED, RED] }, { reproduction })
  t.same(await baseline(), {
    narrow: before,
    whole: { state: 'failed', shown: RED, failed: ['total'], flaky: [] },
    hindrance: null,
  })
  t.same(steps, ['baseline', 'baseline'])
})

test('without a command, an environment or a run there is no baseline, and it is said why', async t => {
  const hindrance = { reason: 'Nothing is installed.', fix: 'Install it.' }
  const without = verifierOf({}, { plan: { whole: null, narrow: null, isAsked: false } })
  const none = await without.baseline()
  t.same(none, { narrow: null, whole: null, hindrance: null })
  t.match(await without.after(NO_CHANGES, none), {
    verification: 'unverified',
    verificationReason: /no "verify"/,
    runs: [],
  })

  const missing = verifierOf({}, { missing: hindrance })
  t.same(await missing.baseline(), { narrow: null, whole: null, hindrance })
  t.match(await missing.after(NO_CHANGES, await missing.baseline()), {
    verification: 'could_not_run',
    verificationReason: 'Nothing is installed. Install it.',
  })

  const stopped = verifierOf({ 'baseline.narrow': [ONE_RED, ONE_RED], baseline: [{ hindrance }] })
  t.same(await stopped.baseline(), { narrow: null, whole: null, hindrance })
  const later = verifierOf({ 'baseline.narrow': [{ hindrance }], baseline: [RED, RED], verify: [{ hindrance }] })
  const known = await later.baseline()
  t.match(known, { narrow: null, whole: { state: 'failed' }, hindrance: null })
  t.match(await later.after(NO_CHANGES, known), { verification: 'could_not_run', after: null, runs: [] })
})

test('runs are told in their order, those without a change beside those with it', async t => {
  const { baseline, after, steps } = verifierOf({
    'baseline.narrow': [ONE_RED, ONE_RED],
    baseline: [RED, RED],
    'verify.narrow': [ONE_GREEN],
    verify: [GREEN],
  })
  const result = await after({ changed: ['total.js'], deleted: [] }, await baseline())
  t.match(result, { verification: 'verified', verificationReason: null, tests: { fixed: ['total'] }, after: GREEN.run })
  t.same(result.runs, [
    { kind: 'narrow', command: 'narrow', before: 1, after: 0 },
    { kind: 'whole', command: 'whole', before: 1, after: 0 },
  ])
  t.notOk(steps.includes('verify.old_tests'))
})

test('tests that a change edits or deletes are tried in their old form, where the change passes', async t => {
  const after = async (changes: typeof EDITED | { changed: string[]; deleted: string[] }, runs: Runs, text = 'new') => {
    const verifier = verifierOf(
      { 'baseline.narrow': [ONE_RED, ONE_RED], baseline: [RED, RED], ...runs },
      {},
      {
        [TEST_PATH]: text,
        'test/new.test.js': 'new',
      },
    )
    return { ...(await verifier.after(changes, await verifier.baseline())), steps: verifier.steps }
  }
  const passing = () => ({ 'verify.narrow': [ONE_GREEN], verify: [GREEN] })
  const edited = await after(EDITED, { ...passing(), 'verify.old_tests': [RED] })
  t.match(edited, { verification: 'partially_verified', verificationReason: /edited tests/ })
  t.same(edited.runs.at(-1), { kind: 'old_tests', command: 'whole', before: null, after: 1 })
  const deleted = await after({ changed: [], deleted: [TEST_PATH] }, { ...passing(), 'verify.old_tests': [GREEN] })
  t.match(deleted, { verification: 'verified', runs: [{}, {}, { kind: 'old_tests', after: 0 }] })

  t.same((await after(EDITED, passing(), 'old')).runs.length, 2, 'the file is as it was')
  t.same((await after({ changed: ['test/new.test.js'], deleted: [] }, passing())).runs.length, 2, 'a new file')
  const failing = await after(EDITED, { 'verify.narrow': [ONE_RED], verify: [RED] })
  t.notOk(failing.steps.includes('verify.edited_tests'), 'it does not pass anyway')

  const hindrance = { reason: 'The environment is gone.', fix: '' }
  const stopped = await after(EDITED, { ...passing(), 'verify.old_tests': [{ hindrance }] })
  t.match(stopped, { verification: 'could_not_run', verificationReason: 'The environment is gone.', after: GREEN.run })
})

test('a command that begins no test after the change could not run, unless it did so before', async t => {
  const gone = testRun(127, undefined, { stderr: 'bash: pytest: command not found' })
  const { baseline, after } = verifierOf(
    { baseline: [gone], verify: [gone] },
    { plan: { whole: WHOLE, narrow: null, isAsked: false } },
  )
  const result = await after(NO_CHANGES, await baseline())
  t.match(result, { verification: 'could_not_run', verificationReason: /^There is no command pytest\./ })
  t.same(result.runs, [{ kind: 'whole', command: 'whole', before: 127, after: 127 }])

  const broke = verifierOf(
    { baseline: [GREEN], verify: [gone] },
    { plan: { whole: WHOLE, narrow: null, isAsked: false } },
  )
  t.match(await broke.after(NO_CHANGES, await broke.baseline()), { verification: 'unverified', after: gone.run })
})

test('a failure that does not come again is shown by the run that passed', async t => {
  const plan = { whole: WHOLE, narrow: null, isAsked: false }
  const { baseline, after } = verifierOf({ baseline: [GREEN], verify: [RED, GREEN] }, { plan })
  const result = await after({ changed: ['total.js'], deleted: [] }, await baseline())
  t.match(result, { verification: 'partially_verified', after: GREEN.run, tests: { flaky: ['total'] } })
  t.same(result.runs, [{ kind: 'whole', command: 'whole', before: 0, after: 0 }])
  const again = verifierOf({ baseline: [GREEN], verify: [RED, RED] }, { plan })
  t.match(await again.after(NO_CHANGES, await again.baseline()), {
    verification: 'unverified',
    tests: { broken: ['total'] },
  })
})
