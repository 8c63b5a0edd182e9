import { test } from 'tap'
import { compareTests } from '../../../src/test-runners/reports/compare.ts'
import { reportOf, testId, type TestStatus } from '../../../src/test-runners/reports/test-report.ts'

const report = (tests: Record<string, TestStatus>, options = {}) =>
  reportOf(
    Object.entries(tests).map(([id, status]) => ({ id, status })),
    options,
  )

test('tests that failed and pass now are fixed, those that passed and fail now are broken', async t => {
  const before = report({ a: 'failed', b: 'passed', c: 'failed', d: 'failed' })
  const after = report({ a: 'passed', b: 'failed', c: 'failed', e: 'failed' })
  t.same(compareTests(before, after), { fixed: ['a'], broken: ['b'] }, 'one that is gone or new counts for nothing')
  const skipped = report({ a: 'skipped', b: 'skipped', c: 'failed' })
  t.same(compareTests(before, skipped), { fixed: [], broken: [] })
})

test('where failures alone are listed, others passed if as many tests ran', async t => {
  const before = report({ a: 'failed' }, { listsPassed: false, ran: 3 })
  t.same(compareTests(before, report({ b: 'failed' }, { listsPassed: false, ran: 3 })), { fixed: ['a'], broken: ['b'] })
  t.same(compareTests(before, report({}, { listsPassed: false, ran: 2 })), { fixed: [], broken: [] })
  t.same(compareTests(before, report({}, { listsPassed: false, ran: null })), { fixed: [], broken: [] })
})

test('an id is one line of bounded length, without the folder of the sandbox', async t => {
  t.equal(testId(['/workspace/a.test.js', 'cart', 'adds\n\u001B[2J twice']), 'a.test.js > cart > adds [2J twice')
  t.equal(testId(['a', '', 'a', 'b']), 'a > b')
  t.equal(testId(['x'.repeat(10_000)]).length, 500)
})
