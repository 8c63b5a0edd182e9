import { test } from 'tap'
import { cleanText } from '../../../src/stack-trace/layout/clean.ts'

const clean = (text: string): string[] => cleanText(text).lines

test('line ends of every system are one', async t => {
  t.same(clean('a\r\nb\rc\nd'), ['a', 'b', 'c', 'd'])
})

test('terminal escapes, NUL and other control characters go; tabs stay', async t => {
  t.same(clean('\u001B[31mTypeError\u001B[0m: a\u0000b\tc\u0008'), ['TypeError: ab\tc'])
  t.same(clean('\u001B]8;;https://example.com\u0007link\u001B]8;;\u0007'), ['link'])
  t.same(clean('\u009B1mbold'), ['bold'])
})

test('lone surrogates become replacement characters and bidirectional controls are shown', async t => {
  t.same(clean('a\uD800b'), ['a\uFFFDb'])
  t.same(clean('a\u202Eb'), ['a\\u202Eb'])
})

test('quoting with "> " goes, at any depth, and Python\'s prompt stays', async t => {
  t.same(clean('> Traceback\n>   File "a"\n>\n> > x\n> > y'), ['Traceback', '  File "a"', '', 'x', 'y'])
  t.same(clean('>>> f()\n>>> g()'), ['>>> f()', '>>> g()'])
  t.same(clean('>>> Error: x\n>>>     at f (a.js:1:2)'), ['Error: x', '    at f (a.js:1:2)'])
})

test('the mark of a test runner and of a code frame is no quoting', async t => {
  for (const text of ['    def f():\n>       assert x\nE       assert 1', '> 1 | a\n> 2 | b']) {
    t.same(clean(text).join('\n'), text)
  }
})

test(
  'timestamps in front of a line go, the indentation behind them stays, and the line counts as a new ' + 'entry',
  async t => {
    const text = cleanText(
      '2026-11-21T22:20:01.1234567Z   File "a"\n[2026-11-21 22:20:01,123] ERROR x\n22:20:01 y\n' +
        'Nov 21 22:20:01 host app[12]: z\nplain',
    )
    t.same(text.lines, ['  File "a"', 'ERROR x', 'y', 'z', 'plain'])
    t.same([...text.stamped], [1, 1, 1, 1, 0])
  },
)

test('a service name in front of "|" goes where it repeats', async t => {
  t.same(clean('web-1  | Traceback\nweb-1  |   File "a"\nweb-1  | '), ['Traceback', '  File "a"', ''])
  t.same(clean('left | right'), ['left | right'])
})

test('a logger that repeats itself on every line of a traceback is taken off', async t => {
  t.same(
    clean(
      'TRACE api.v2 Traceback (most recent call last):\nTRACE api.v2   File "a.py", line 1, in f\n' +
        'TRACE api.v2 KeyError: 1\nnext',
    ),
    ['Traceback (most recent call last):', '  File "a.py", line 1, in f', 'KeyError: 1', 'next'],
  )
})

test('a line over 4 KiB keeps its head and its tail', async t => {
  const [line = ''] = clean(`head${'x'.repeat(1 << 20)}tail`)
  t.ok(line.length <= 4096)
  t.ok(line.startsWith('head') && line.endsWith('tail'))
})
