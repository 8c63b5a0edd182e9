import { test } from 'tap'
import type { BisectAnswer } from '../../src/contract/bisect.ts'
import { bisectText } from '../../src/text/bisect-text.ts'
import { plain } from '../../src/text/paint.ts'

const id = (digit: string) => digit.repeat(40)
const named = (digit: string) => ({
  commit: id(digit),
  author: 'Ada',
  date: '2026-03-01T12:00:00.000Z',
  summary: `Commit\u001b[31m ${digit}`,
})

const answer = (fields: Partial<BisectAnswer> = {}): BisectAnswer => ({
  repository: 'shop',
  good: id('1'),
  bad: id('9'),
  commits: 8,
  first_bad: named('5'),
  candidates: [],
  candidates_total: 0,
  probes: [
    { commit: id('1'), outcome: 'good', exit_code: 0, duration_ms: 12 },
    { commit: id('9'), outcome: 'bad', exit_code: 1, duration_ms: 2_000 },
  ],
  skipped: [],
  ...fields,
})

test('the commit comes first, then each run with its exit code', async t => {
  const text = bisectText(answer(), plain)
  t.notMatch(text, '\u001b')
  t.equal(
    text.replace(/Commit.*5/, 'Commit 5'),
    [
      'The first bad commit:',
      '  5555555555  2026-03-01  Ada  Commit 5',
      '2 runs for 8 commits:',
      '  good  1111111111  exit code 0  12 ms',
      '  bad   9999999999  exit code 1  2.0 s',
    ].join('\n'),
  )
})

test('where only skipped commits are left, the candidates are listed and why they were skipped', async t => {
  const reason = 'its environment could not be made: no lock file'
  const text = bisectText(
    answer({
      first_bad: null,
      candidates: Array.from({ length: 25 }, () => named('4')),
      candidates_total: 120,
      probes: [{ commit: id('4'), outcome: 'skipped', exit_code: null, duration_ms: 0, reason }],
      skipped: [{ commit: id('4'), reason }],
    }),
    plain,
  )
  t.match(text, /^Only skipped commits are left\. The first bad commit is one of these 120:\n {2}4444444444/)
  t.match(text, '\n  and 100 more\n1 run for 8 commits, 1 commit skipped:\n  skipped  4444444444  its environment')
})
