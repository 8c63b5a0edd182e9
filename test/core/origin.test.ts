import { test } from 'tap'
import { infrastructureFailure } from '../../src/core/infrastructure.ts'
import { originOf, type RunEvidence } from '../../src/core/origin.ts'

const [BASE, COMMIT, OTHER] = ['b'.repeat(40), 'c'.repeat(40), 'd'.repeat(40)]
const SKETCH = [1, 2, 3, 4]
const FAULT = {
  fingerprints: ['f1'],
  text: 'ValueError: no',
  frames: [
    { path: 'a.py', line: 5 },
    { path: 'b.py', line: 9 },
  ],
}

const evidence = (more: Partial<RunEvidence>): RunEvidence => ({
  failure: null,
  commit: COMMIT,
  base: BASE,
  sketch: SKETCH,
  earlier: [],
  onBase: new Set(),
  changed: [],
  kept: [],
  ...more,
})
const run = (commit: string, fingerprints: string[], sketch = SKETCH) => ({ at: 'then', commit, fingerprints, sketch })
const told = (more: Partial<RunEvidence>, fault = FAULT) => originOf(fault, evidence(more))

test('the innermost frame on a changed line is the evidence', async t => {
  const changed = [
    { path: 'a.py', startLine: 1, endLine: 9 },
    { path: 'b.py', startLine: 9, endLine: 9 },
  ]
  t.match(told({ changed }), { origin: 'introduced', originWhy: /b\.py:9/ })
  t.match(told({ changed: [{ path: 'b.py', startLine: 10, endLine: 12 }] }), { origin: 'unknown' })
})

test('what was there before comes before what changed, and flaky before both', async t => {
  const changed = [{ path: 'b.py', startLine: 9, endLine: 9 }]
  const existing = { changed, earlier: [run(OTHER, ['f1'])], onBase: new Set([OTHER]) }
  t.match(told(existing), { origin: 'existing', originWhy: /dddddddddddd at then/ })
  t.match(told({ ...existing, earlier: [...existing.earlier, run(COMMIT, ['f2'])] }), { origin: 'flaky' })
})

test('what the base had got rid of is no fault of the base', async t => {
  const earlier = [run(BASE, []), run(OTHER, ['f1'])]
  const kept = [{ id: 'res_1', at: 'then', commit: OTHER, fingerprint: 'f1' }]
  const onBase = new Set([BASE, OTHER])
  t.match(told({ earlier, onBase, kept }), { origin: 'introduced', originWhy: /base bbbbbbbbbbbb at then did not/ })
  t.match(told({ earlier: [run(BASE, ['f1']), ...earlier], onBase }), { origin: 'existing' }, 'it came now and then')
  t.match(told({ earlier: [run(BASE, [], [7, 8]), ...earlier.slice(1)], onBase }), { origin: 'existing' })
})

test('a run on another branch is no evidence', async t => {
  t.match(told({ earlier: [run(OTHER, ['f1'])] }), { origin: 'unknown' })
})

test('runs of other jobs, or that stopped early, do not show that a fault was absent', async t => {
  for (const sketch of [[], [7, 8, 9, 10]]) {
    t.match(told({ earlier: [run(COMMIT, [], sketch), run(BASE, [], sketch)] }), { origin: 'unknown' })
  }
  t.match(told({ earlier: [run(BASE, [])] }), { origin: 'introduced' })
})

test('a machine is at fault where the error says so, or where no code of the project has part in it', async t => {
  const failure = infrastructureFailure('curl: (6) Could not resolve host\nValueError: no')
  t.match(told({ failure }), { origin: 'unknown' }, 'the code of the project failed')
  t.match(told({ failure }, { ...FAULT, frames: [] }), {
    origin: 'infrastructure',
    originWhy: /"network".*curl: \(6\)/,
  })
  t.match(told({}, { ...FAULT, text: 'OSError: [Errno 28] No space left on device' }), { origin: 'infrastructure' })
})

test('an unknown origin says what was missing', async t => {
  t.match(told({ commit: null }), { originWhy: /^The commit that CI ran was not given/ })
  t.match(told({ base: null }), { originWhy: /^The base was not given/ })
  t.match(told({ changed: null }), { originWhy: /^What changed since the base cannot be read/ })
})
