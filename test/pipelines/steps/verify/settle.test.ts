import { test } from 'tap'
import { settle } from '../../../../src/pipelines/steps/verify/settle.ts'
import { testRun } from './test-runs.ts'

test('a run that passes needs no second one; a failure has to come twice', async t => {
  t.equal(settle([]), null)
  t.match(settle([testRun(0)]), { state: 'passed', failed: [], flaky: [] })
  t.equal(settle([testRun(1)]), null)
  t.match(settle([testRun(1), testRun(1)]), { state: 'failed' })
  t.match(settle([testRun(1, { a: 'failed' }), testRun(1, { a: 'failed', b: 'passed' })]), {
    state: 'failed',
    failed: ['a'],
    flaky: [],
  })
})

test('where the second run ends differently three decide, and what differs is flaky', async t => {
  t.equal(settle([testRun(1), testRun(0)]), null)
  t.match(settle([testRun(1), testRun(0), testRun(1)]), { state: 'flaky' })
  t.match(settle([testRun(1), testRun(2), testRun(1)]), { state: 'failed' }, 'it failed each time')
  const runs = [
    testRun(1, { a: 'failed', b: 'failed' }),
    testRun(1, { a: 'failed', b: 'passed' }),
    testRun(1, { a: 'failed', c: 'failed' }),
  ]
  t.equal(settle(runs.slice(0, 2)), null)
  t.match(settle(runs), { state: 'failed', failed: ['a'], flaky: ['b', 'c'] })
  const other = [testRun(1, { a: 'failed' }), testRun(1, { b: 'failed' }), testRun(1, { a: 'failed' })]
  t.match(settle(other), { state: 'flaky', failed: [], flaky: ['a', 'b'] }, 'no test failed each time')
})
