import { test } from 'tap'
import type { Verification } from '../../../src/contract/verification.ts'
import { withGuards } from '../../../src/pipelines/steps/guards.ts'

test('a change that may only hide the failure is partially verified at most, and says why', async t => {
  const guards = [{ path: 'a.py', line: 1, kind: 'null_check' as const, detail: '' }]
  const of = (verification: Verification) => ({ verification, verificationReason: null })
  t.same(withGuards(of('verified'), []), { ...of('verified'), guards: [] })
  t.match(withGuards(of('verified'), guards), {
    verification: 'partially_verified',
    verificationReason: /may only hide the failure/,
    guards,
  })
  for (const label of ['partially_verified', 'unverified', 'could_not_run'] as const) {
    t.same(withGuards(of(label), guards), { ...of(label), guards }, label)
  }
})
