import { test } from 'tap'
import { conclude, type Compared } from '../../../../src/pipelines/steps/verify/conclude.ts'
import { settle } from '../../../../src/pipelines/steps/verify/settle.ts'
import type { TestRun } from '../../../../src/pipelines/steps/verify/test-run.ts'
import { testRun } from './test-runs.ts'

function compared(before: TestRun[], ...after: TestRun[]): Compared {
  const settled = settle(before) ?? settle([...before, ...before])
  if (settled === null) throw new Error('more runs are needed')
  return { before: settled, after }
}
const label = (whole: Compared, more: { narrow?: Compared; oldTests?: TestRun } = {}) => {
  const { verification } = conclude({ narrow: null, oldTests: null, ...more, whole })
  return verification
}

test('without reports exit codes alone decide', async t => {
  const of = (before: number | null, after: number | null) => label(compared([testRun(before)], testRun(after)))
  t.equal(of(1, 0), 'verified')
  t.equal(of(null, 0), 'verified', 'a command that was killed did not pass')
  t.equal(of(0, 0), 'partially_verified')
  for (const [before, after] of [
    [1, 1],
    [0, 1],
    [1, null],
    [null, null],
  ] as const) {
    t.equal(of(before, after), 'unverified', `${before} ${after}`)
  }
})

test('tests that failed and pass now are fixed; one that broke keeps it from verified', async t => {
  const before = [testRun(1, { a: 'failed', b: 'passed', c: 'passed' })]
  t.same(
    conclude({
      narrow: null,
      oldTests: null,
      whole: compared(before, testRun(0, { a: 'passed', b: 'passed', c: 'passed' })),
    }),
    {
      verification: 'verified',
      verificationReason: null,
      tests: { fixed: ['a'], broken: [], flaky: [] },
    },
  )
  const broken = testRun(1, { a: 'passed', b: 'failed' })
  t.match(conclude({ narrow: null, oldTests: null, whole: compared(before, broken, broken) }), {
    verification: 'unverified',
    verificationReason: /1 test that passed before the change fail/,
    tests: { fixed: ['a'], broken: ['b'], flaky: [] },
  })
})

test('what failed before for other reasons leaves a fix partially verified', async t => {
  const before = [testRun(1, { a: 'failed', old: 'failed' })]
  t.equal(label(compared(before, testRun(1, { a: 'passed', old: 'failed' }))), 'partially_verified')
  t.equal(label(compared(before, testRun(1, { a: 'failed', old: 'failed' }))), 'unverified')
  t.equal(label(compared(before, testRun(1, { a: 'passed', fresh: 'failed' }))), 'unverified', 'a failure is new')
  t.equal(label(compared(before, testRun(1))), 'unverified', 'nobody knows which tests fail')
})

test('a flaky test counts for nothing', async t => {
  const flaky = compared([testRun(1), testRun(0), testRun(1)], testRun(0))
  t.match(conclude({ narrow: null, oldTests: null, whole: flaky }), {
    verification: 'partially_verified',
    verificationReason: /now and then/,
  })
  const before = [testRun(1, { a: 'failed', b: 'passed' })]
  const chance = compared(before, testRun(1, { a: 'passed', b: 'failed' }), testRun(0, { a: 'passed', b: 'passed' }))
  t.match(conclude({ narrow: null, oldTests: null, whole: chance }), {
    verification: 'verified',
    tests: { fixed: ['a'], broken: [], flaky: ['b'] },
  })
  t.equal(label(compared([testRun(0)], testRun(1), testRun(0))), 'partially_verified')
})

test('the test of the trace decides before the whole does', async t => {
  const passing = compared([testRun(0)], testRun(0))
  const red = [testRun(1)]
  t.equal(label(passing, { narrow: compared(red, testRun(0)) }), 'verified', 'the whole does not run it')
  t.equal(label(passing, { narrow: compared(red, testRun(1)) }), 'unverified')
  t.equal(label(passing, { narrow: compared([testRun(0)], testRun(0)) }), 'partially_verified')
})

test('tests that a fix edited have to pass in their old form', async t => {
  const whole = compared([testRun(1)], testRun(0))
  t.equal(label(whole, { oldTests: testRun(0) }), 'verified')
  t.match(conclude({ narrow: null, oldTests: testRun(1), whole }), {
    verification: 'partially_verified',
    verificationReason: /old form/,
  })
})

test('what failed before has to pass in each run after', async t => {
  const before = [testRun(1, { a: 'failed', b: 'passed' })]
  const now = testRun(1, { a: 'failed', b: 'failed' })
  const then = testRun(0, { a: 'passed', b: 'passed' })
  t.match(conclude({ narrow: null, oldTests: null, whole: compared(before, now, then) }), {
    verification: 'partially_verified',
    verificationReason: /now and then/,
    tests: { fixed: [], broken: [] },
  })
  const whole = compared([testRun(0)], testRun(0))
  t.equal(label(whole, { narrow: compared(before, now, then) }), 'partially_verified')
})

test('an exit code of 0 says nothing of tests that did not run', async t => {
  const before = [testRun(1, { a: 'failed', b: 'passed' })]
  for (const after of [
    testRun(0),
    testRun(0, {}),
    testRun(0, { b: 'passed' }),
    testRun(0, { a: 'skipped', b: 'passed' }),
  ]) {
    t.match(conclude({ narrow: null, oldTests: null, whole: compared(before, after) }), {
      verification: 'partially_verified',
      verificationReason: /says little/,
    })
  }
  t.equal(label(compared(before, testRun(0, { c: 'passed', d: 'passed' }))), 'verified', 'a file could not be loaded')
})

test('a run that was killed, or whose report was cut, says nothing of the tests that are left', async t => {
  const before = [testRun(1, { a: 'failed', old: 'failed' })]
  const left = { a: 'passed', old: 'failed' } as const
  t.equal(label(compared(before, testRun(null, left))), 'unverified')
  const cut = testRun(1, left)
  const report = cut.report === null ? null : { ...cut.report, listsPassed: false, ran: null }
  t.equal(label(compared(before, { ...cut, report })), 'unverified')
})
