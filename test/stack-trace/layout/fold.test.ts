import { test } from 'tap'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'

test('equal failures are folded also when addresses, times and ids in them differ', async t => {
  const trace = (address: string, id: string) =>
    `Error: order ${id} lost at ${address}\n    at f (/srv/a.js:1:2)\n    at g (/srv/b.js:3:4)\n`
  const { exceptions } = parseStackTrace(
    [
      trace('0x7f00aa', '0b6f3f0c-1f6e-4a53-9a3e-6a1f0d5f2b11'),
      trace('0x7f11bb', '1b6f3f0c-1f6e-4a53-9a3e-6a1f0d5f2b12'),
    ].join('\n'),
  )
  t.same(
    exceptions.map(({ count }) => count),
    [2],
  )
})

test('failures that differ in a value or a line stay apart', async t => {
  const { exceptions } = parseStackTrace(
    "KeyError: 1\n    at f (/srv/a.js:1:2)\n\nKeyError: 1\n    at f (/srv/a.js:2:2)\n\nKeyError: 'b'\n" +
      '    at f (/srv/a.js:1:2)\n',
  )
  t.same(
    exceptions.map(({ count }) => count),
    [1, 1, 1],
  )
})
