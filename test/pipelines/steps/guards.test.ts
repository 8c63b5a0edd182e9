import { test } from 'tap'
import { withGuards } from '../../../src/pipelines/steps/guards.ts'

test('a change that may only hide the failure is partially verified at most', async t => {
  const guards = [{ path: 'a.py', line: 1, kind: 'null_check' as const, detail: '' }]
  t.equal(withGuards('verified', []), 'verified')
  t.equal(withGuards('verified', guards), 'partially_verified')
  t.equal(withGuards('partially_verified', guards), 'partially_verified')
  t.equal(withGuards('unverified', guards), 'unverified')
})
