import { test } from 'tap'
import { cleanText } from '../../../src/stack-trace/layout/clean.ts'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'

test('marks of CI systems become text or the form of a compiler', async t => {
  t.same(cleanText('##[error]Error: x\n::group::tests\nsection_start:1560896352:build\r\u001B[0Kgo').lines, [
    'Error: x',
    'tests',
    '',
    'go',
  ])
  t.same(cleanText('::error file=src/a.ts,line=3,col=5,title=x::no such name').lines, [
    'src/a.ts:3:5: error: no such name',
  ])
})

test('Markdown: fences go, bullets only before rows of a trace', async t => {
  t.same(cleanText('```python\nTraceback\n```').lines, ['', 'Traceback', ''])
  t.same(cleanText('- at f (/a.js:1:2)\n- buy milk\n1. File "a.py", line 1, in f').lines, [
    'at f (/a.js:1:2)',
    '- buy milk',
    'File "a.py", line 1, in f',
  ])
})

test("a frame's number that a code host made a link of is a number again", async t => {
  t.same(
    cleanText('    https://github.com/acme/shop/issues/1 0x1803 in f a.c:3\n[#2](https://x.test/2) 0x12 in g a.c:4')
      .lines,
    ['    #1 0x1803 in f a.c:3', '#2 0x12 in g a.c:4'],
  )
})

test("a logger's name on each line goes, from the message to the last row", async t => {
  t.same(cleanText('app.api TypeError: x\napp.api     at f (/a.js:1:2)\napp.api     at g (/b.js:3:4)\nother').lines, [
    'TypeError: x',
    '    at f (/a.js:1:2)',
    '    at g (/b.js:3:4)',
    'other',
  ])
})

test('lines broken by a mail program at a space are joined', async t => {
  t.same(
    parseStackTrace(
      'Traceback (most recent call last):\n  File "/srv/long/a.py", line 3,\nin f\n    g()\nKeyError: 1',
    ).frames.map(({ line, function: name, sourceText }) => [line, name, sourceText]),
    [[3, 'f', 'g()']],
  )
})
