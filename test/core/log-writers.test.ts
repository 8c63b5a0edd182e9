import { test } from 'tap'
import { CI_MARKER, JOB_STEP, MAIL_QUOTE, POD, SERVICE, XUNIT_CLOCK } from '../../src/core/log-writers.ts'

const FORMS: Array<[form: RegExp, begins: string[], others: string[]]> = [
  [SERVICE, ['web-1  | x', '0|api │ x', 'db |'], ['| x', 'two words | x', 'a || b']],
  [POD, ['[pod/web-1/app] x', '[web-1/app] x'], ['[web] x', '[WARN/x]x']],
  [JOB_STEP, ['build\tRun tests\t2026-11-21T22:20:01Z x'], ['build\tRun tests\tx']],
  [CI_MARKER, ['##[error]x', '::error::x', 'section_start:1700000000:test[collapsed=true]x'], ['# x', '::other::']],
  [XUNIT_CLOCK, ['[xUnit.net 00:00:01.23] x'], ['[xUnit.net] x']],
  [MAIL_QUOTE, ['> x', '>>x'], [' > x']],
]

test('what a writer of logs puts in front is known by its form, and only at the start of a line', async t => {
  for (const [form, begins, others] of FORMS) {
    for (const line of begins) t.equal(form.test(line), true, line)
    for (const line of others) t.equal(form.test(line), false, line)
  }
})
