import { test } from 'tap'
import type { ErrorHead } from '../../src/stack-trace/failures.ts'
import { errorInside, joinMessage, messageAbove, opensField, startsLogEntry } from '../../src/stack-trace/messages.ts'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { readTrace } from '../helpers/trace-fixtures.ts'

test('an entry of a log begins with its level, its logger, a request or a prompt', async t => {
  const entries = [
    'ERROR it failed',
    '[WARN] slow',
    'shop.cart - ERROR - it failed',
    '[main] ERROR: it failed',
    'info: ready',
    'level=error msg=no',
    'time="12:00" x',
    '10.0.0.1 - admin [21/Nov/2026] "GET /',
    'fail: Shop.Cart[0]',
    '$ npm test',
    '>>> pay()',
    'Node.js v24.1.0',
    'make[1]: *** [all] Error 1',
  ]
  t.same(
    entries.filter(line => !startsLogEntry(line)),
    [],
  )
  const others = ['Errors were found', 'the level=high', 'at a (b.js:1:2)', 'information: none', '  $ x', 'Warnings: 3']
  t.same(others.filter(startsLogEntry), [])
})

test('a line that ends with the name of a field opens it', async t => {
  t.ok(opensField('level=error stack='))
  t.notOk(opensField('level=error stack= '))
  t.notOk(opensField('a == b ='))
})

test('a message has no blank ends, is cut at 4096 characters, and is null where nothing is left', async t => {
  t.equal(joinMessage(['', 'one  ', '', '  two ', '']), 'one\n\n  two')
  t.equal(joinMessage(['', '  ']), null)
  t.equal(joinMessage([]), null)
  t.equal(joinMessage(['x'.repeat(5000)])?.length, 4096)
  t.equal(joinMessage([`${'x'.repeat(4095)}\u{1F6D2}`])?.at(-1), '\uFFFD', 'no half of a character is kept')
})

const headOf = (line: string): ErrorHead | null =>
  line.startsWith('Error: ') ? { type: 'Error', message: line.slice(7) } : null

const above = (lines: string[], { floor = 0, stamped = [] }: { floor?: number; stamped?: number[] } = {}) => {
  const marks = Uint8Array.from(lines, (_, at) => Number(stamped.includes(at)))
  return messageAbove({ lines, stamped: marks }, floor, lines.length, headOf)
}

test('the error is the nearest line above that names one, with the lines between', async t => {
  t.same(above(['Error: first', 'Error: no', ' more', '']), { type: 'Error', message: 'no\n more' })
})

test('no error is looked for beyond the floor, the entry of the log, or 40 lines', async t => {
  t.same(above(['Error: no', 'a', 'b'], { floor: 1 }), { type: null, message: 'a\nb' })
  t.same(above(['Error: no', 'a', 'b'], { stamped: [1] }), { type: null, message: 'a\nb' })
  t.same(above(['Error: no', 'ERROR a', 'b']), { type: null, message: 'Error: no\nERROR a\nb' })
  t.same(above(['Error: no', ...Array.from({ length: 40 }, () => ''), 'a']), { type: null, message: 'a' })
})

test('without an error the nearest paragraph is the message', async t => {
  t.same(above(['far', '', 'near', 'by', '', '']), { type: null, message: 'near\nby' })
  t.same(above(['a', 'b', 'c'], { stamped: [1] }), { type: null, message: 'b\nc' })
  t.same(above([]), { type: null, message: null })
})

test('an error may stand behind what a logger wrote, with a message or without one', async t => {
  const isType = (name: string): boolean => name.endsWith('Exception')
  t.same(errorInside('ERROR Shop - order failed: java.io.IOException: no: x', isType), {
    type: 'java.io.IOException',
    message: 'no: x',
  })
  t.same(errorInside('failed with java.io.IOException:', isType), { type: 'java.io.IOException', message: '' })
  t.equal(errorInside('order failed: IOException: no', isType), null, 'a name alone is a word')
  t.equal(errorInside(`${'a: '.repeat(8)}java.io.IOException: no`, isType), null, 'eight segments are looked at')
  t.equal(errorInside('', isType), null)
})

test('what compose says at the end of a log is no part of the message', async t => {
  for (const name of ['python-3.11-boxed', 'elixir-1.14-broken', 'ipython-8-minimal']) {
    const log = readTrace(name)
      .trimEnd()
      .split('\n')
      .map(line => `web-1  | ${line}`)
    const { exceptions } = parseStackTrace(log.join('\n'))
    for (const end of ['web-1 exited with code 1', 'web-1 exited with code 137 (restarting)']) {
      t.same(parseStackTrace([...log, end, ''].join('\n')).exceptions, exceptions, name)
    }
  }
  t.equal(startsLogEntry('the child exited with code 1 and a core'), false)
})
