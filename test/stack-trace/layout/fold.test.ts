import { test } from 'tap'
import { newFrame } from '../../../src/stack-trace/frames.ts'
import { sameFailureKey } from '../../../src/stack-trace/layout/fold.ts'
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

test('what a row says tells failures apart; how it is printed only where it says nothing', async t => {
  const key = (raw: string, fields: Parameters<typeof newFrame>[1], message = 'no') =>
    sameFailureKey([{ type: 'E', message, relation: 'root', frames: [newFrame(raw, fields)] }])
  t.equal(key('#0 0x1 in f', { function: 'f' }), key('#0 0x2 in f', { function: 'f' }))
  t.equal(key('0x1 a.c', { file: 'a.c' }), key('0x2 a.c', { file: 'a.c' }))
  t.not(key('#0 f', { function: 'f' }), key('#0 f', { function: 'g' }))
  t.not(key('a', { file: 'a.c' }), key('a', { file: 'b.c' }))
  t.not(key('a', { file: 'a.c', line: 1 }), key('a', { file: 'a.c', line: 2 }))
  t.not(key('a', { file: 'a.c', line: 1, column: 1 }), key('a', { file: 'a.c', line: 1, column: 2 }))
  t.not(key('#0 ?', {}), key('#1 ?', {}))
  t.equal(key('a', { file: 'a.c', repeat: 2 }), key('a', { file: 'a.c', repeat: 3 }))
  t.not(key('a', { file: 'a.c' }), key('a', { file: 'a.c', repeat: 2 }))
  t.equal(key('a', {}, 'row 12345'), key('a', {}, 'row 23456'))
  t.not(key('a', {}, 'row 1234'), key('a', {}, 'row 2345'))
})
