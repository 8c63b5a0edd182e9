import { test } from 'tap'
import { unwrapLines } from '../../../src/stack-trace/layout/unwrap.ts'
import { LONG_TRACES } from '../../helpers/long-traces.ts'

test('rows that are whole, and a report that a mail broke at a space, stay as they are', async t => {
  for (const text of LONG_TRACES.values()) t.equal(unwrapLines(text.split('\n')), null)
  t.equal(
    unwrapLines([
      'PHP Fatal error:  Allowed memory size of 209715200 bytes exhausted (tried',
      'to allocate 8388608 bytes) in /srv/till.php on line 25',
    ]),
    null,
  )
})

test('the message of a cause goes on in the next line, the row behind it does not', async t => {
  const cause = '    [cause]: SyntaxError: Expected property name in JSON at position '
  const row = '        at async runEntryPointOfTheProgram (node:internal/modules/run_main:101:5)'
  t.same(unwrapLines([cause, '1 (line 1)', row.slice(0, cause.length), row.slice(cause.length)])?.lines, [
    `${cause}1 (line 1)`,
    row,
  ])
})
