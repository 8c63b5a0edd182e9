import { test } from 'tap'
import { bestOf, type Comparable } from '../../../../src/pipelines/steps/result/best-candidate.ts'
import { countWarnings } from '../../../../src/pipelines/steps/verify/warnings.ts'

const DIFF = '--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n'
const candidate = (name: string, other: Partial<Comparable> = {}) => ({
  name,
  checks: { verification: 'verified' as const, warnings: 0 },
  diff: DIFF,
  complete: true,
  votes: 1,
  ...other,
})

const CASES: Array<[string, Comparable[], number]> = [
  ['exit codes come first', [candidate('a', { checks: { verification: 'unverified' } }), candidate('b')], 1],
  [
    'then what could be applied as a whole',
    [candidate('a', { complete: false }), candidate('b', { checks: { verification: 'verified', warnings: 3 } })],
    1,
  ],
  [
    'then fewer warnings, whatever the votes',
    [candidate('a', { checks: { verification: 'verified', warnings: 1 }, votes: 3 }), candidate('b')],
    1,
  ],
  ['then votes, whatever the size', [candidate('a', { diff: '-a\n+b\n' }), candidate('b', { votes: 2 })], 1],
  ['then the smaller diff', [candidate('a'), candidate('b', { diff: '--- a/x\n+++ b/x\n-a\n+b\n' })], 1],
  ['then the earlier one', [candidate('a'), candidate('b')], 0],
  [
    'no change is no candidate while there is another',
    [candidate('a', { diff: '' }), candidate('b', { checks: { verification: 'could_not_run' } })],
    1,
  ],
]

test('the best candidate', async t => {
  for (const [name, candidates, best] of CASES) t.equal(bestOf(candidates), candidates[best], name)
  t.equal(bestOf([]), null)
})

test('lines that warn', async t => {
  const lines = [
    'src/a.c:3:5: warning: unused variable [-Wunused]',
    'tests/test_a.py:3: DeprecationWarning: old',
    'warning[E0001]: dead code',
    '[WARN] something',
    '(node:12) [DEP0005] DeprecationWarning: Buffer() is old',
    'npm warn: old lock file',
    '0 warnings',
    '3 passed, 2 warnings in 0.1s',
    'test warning_is_shown ... ok',
  ]
  t.equal(countWarnings({ stdout: lines.join('\n'), stderr: '' }), 6)
})
