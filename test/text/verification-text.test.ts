import { test } from 'tap'
import { plain } from '../../src/text/paint.ts'
import { verificationLines } from '../../src/text/verification-text.ts'

test('a label stands with its reason, the commands with both exit codes, and the tests', async t => {
  t.same(
    verificationLines(
      {
        verification: 'partially_verified',
        verification_reason: 'Old\u001B[2J tests.',
        runs: [
          { kind: 'narrow', command: 'pytest a.py', before: 1, after: 0 },
          { kind: 'whole', command: 'pytest', before: null, after: 0 },
          { kind: 'old_tests', command: 'pytest', before: null, after: 1 },
        ],
        tests: { fixed: ['a'], broken: [], flaky: ['b', 'c\n'] },
      },
      plain,
    ),
    [
      'Partially verified. Old\\u001B[2J tests.',
      '  the test of the failure: exit code 1, then exit code 0: pytest a.py',
      '  the whole: killed, then exit code 0: pytest',
      '  the tests as they were: exit code 1: pytest',
      '  fixed: a',
      '  flaky: b, c ',
    ],
  )
})

test('what another release says is shown as it is, and nothing where nothing was said', async t => {
  t.same(verificationLines({ verification: 'half_verified' }, plain), ['half verified'])
  t.same(verificationLines({}, plain), [])
})
