import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { summary } from '../helpers/trace-summary.ts'

test('where no reader found a frame, words that are places of source files are taken', async t => {
  t.same(summary('the total is wrong, see src/cart.ts:12:5 and lib/till.py#L9'), [
    {
      head: 'root null: the total is wrong, see src/cart.ts:12:5 and lib/till.py#L9',
      frames: ['lib/till.py:9 null', 'src/cart.ts:12:5 null'],
    },
  ])
  t.equal(parseStackTrace('it fails in src/cart.ts:12').exceptions[0]?.language, 'typescript')
})

test('lines in a row that hold one are a stack, innermost first unless it says otherwise', async t => {
  t.same(summary('Fault: no till\n  open in lib/till.nim:9\n  main in main.nim:3\n'), [
    { head: 'root null: Fault: no till', frames: ['main.nim:3 null', 'lib/till.nim:9 null'] },
  ])
  t.same(summary('Traceback (most recent call last)\n  main in main.nim:3\n  open in lib/till.nim:9\n')[0]?.frames, [
    'main.nim:3 null',
    'lib/till.nim:9 null',
  ])
})

test('hosts, versions, times and files of other kinds are no places', async t => {
  for (const line of [
    'localhost:8080',
    'example.com:443',
    'v1.2.3:4',
    'at 10:30:15',
    'photo.png:12',
    'server.log:12',
    'http://example.com:80/',
  ]) {
    t.same(parseStackTrace(line).frames, [], line)
  }
})

test('next to a frame that a reader found, such words count for nothing', async t => {
  t.same(
    parseStackTrace(
      'see src/cart.ts:12\nTraceback (most recent call last):\n  File "/srv/a.py", line 3, in f\nKeyError: 1',
    ).frames.map(({ file }) => file),
    ['/srv/a.py'],
  )
})

test('a long word without an ending, or many places, end in time', async t => {
  for (const unit of ['a', 'a/', 'a.', '.c:', 'a.c:1 ', '-', '@a.c']) {
    t.ok(parseStackTrace(`${unit.repeat(3000)}\n`.repeat(200)).framesTotal >= 0, unit)
  }
})

const log = (line: (at: number) => string): string =>
  Array.from({ length: 200 }, (_, at) => `2026-11-21T22:20:${String(at % 60).padStart(2, '0')}Z ${line(at)}\n`).join('')

test('one pasted line is enough', async t => {
  for (const [line, place] of [
    ['TypeError in cart.js:12', 'cart.js:12'],
    ['see src/a.py:40', 'src/a.py:40'],
    ['INFO cart.js:12 closed', 'cart.js:12'],
    ['why is total.rb line 3 so slow?', 'total.rb:3'],
  ] as const) {
    t.same(
      parseStackTrace(line).frames.map(({ file, line: number }) => `${file}:${number}`),
      [place],
      line,
    )
  }
})

test('in a log, the places that a logger prints with its messages are none', async t => {
  for (const line of [
    'INFO shop.py:12 request done',
    '[DEBUG] (server/main.go:40) listening',
    'main.go:42: listening on 8080',
    'INFO done, no errors (cart.js:3)',
    'level=info caller=cart.go:12 msg=done',
  ]) {
    t.same(parseStackTrace(log(at => `${line} ${at}`)).frames, [], line)
    t.same(parseStackTrace(log(() => line)).frames, [], line)
  }
})

test('in a log, a place counts where something failed, in the rows below it, and where it is all of a row', async t => {
  const inLog = (text: string) =>
    parseStackTrace(
      `${log(at => `INFO shop.py:12 request ${at}`)}${text}\n${log(at => `INFO shop.py:12 request ${at}`)}`,
    ).frames.map(({ file, line }) => `${file}:${line}`)
  t.same(inLog('ERROR request failed in src/cart.nim:9'), ['src/cart.nim:9'])
  t.same(inLog('TillFault: no till, see cart.nim:9'), ['cart.nim:9'])
  t.same(inLog('Fault: no till\n  open in lib/till.nim:9 of the shop\n  main in main.nim:3 of the shop'), [
    'main.nim:3',
    'lib/till.nim:9',
  ])
  t.same(inLog('it went wrong\nopen (lib/till.nim:9)\nmain (main.nim:3)'), ['main.nim:3', 'lib/till.nim:9'])
  t.same(inLog('lib/till.nim:9:2'), ['lib/till.nim:9'])
})

test('failures at one place are one, however their messages differ', async t => {
  const { exceptions, framesTotal } = parseStackTrace(log(at => `ERROR request ${at + 1} failed at shop.py:12`))
  t.same(
    exceptions.map(({ count }) => count),
    [200],
  )
  t.equal(framesTotal, 1)
})

test('a text of nothing but places gives few frames', async t => {
  t.ok(parseStackTrace(`${'a.py:1 '.repeat(500)}\n`.repeat(200)).framesTotal <= 1)
  t.ok(parseStackTrace(Array.from({ length: 500 }, (_, at) => `a.py:${at}`).join(' ')).framesTotal <= 50)
})
