import { test } from 'tap'
import { hunkOf } from '../../helpers/hunks.ts'
import { hunkVariants } from '../../../src/edits/apply/hunk-variants.ts'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('a hunk that is not in the file as written is tried as it may be meant', async t => {
  checkReplies(t, [
    [
      'code that HTML escaped',
      diffOf('@@ -1,2 +1,2 @@\n if a &lt; b:\n-  x\n+  y &amp;&amp; z\n'),
      of('if a < b:\n  y && z\n'),
      of('if a < b:\n  x\n'),
    ],
  ])
})

test('a hunk may be meant without prose, numbers, escapes or blank lines at its end', async t => {
  const variants = (lines: string[], doubtfulTail = 0): Array<[number | null, ...string[]]> =>
    hunkVariants({ ...hunkOf(lines), doubtfulTail })
      .filter(({ isAsWritten }) => !isAsWritten)
      .map(({ variant }) => [variant.oldStart, ...variant.lines.map(({ kind, text }) => kind + text)])
  t.same(variants([' a', '+b']), [])
  t.same(variants([' a', '+b', 'Done.'], 1), [[null, ' a', '+b']])
  t.same(variants([' a', '+b', ' ']), [[null, ' a', '+b']])
  t.same(variants([' ', ' ']), [], 'nothing but blank lines')
  t.same(variants([' &lt;a&gt;', '+&quot;&amp;lt;']), [[null, ' <a>', '+"&lt;']])
  t.same(variants([' a', '+&lt;']), [], 'escapes in added lines only')
  t.same(variants(['    41 | a', '-  42 | b', '+  42 | c', '+d']), [[41, ' a', '-b', '+c', '+d']])
  t.same(variants([' 42 | a', '-41 | b']), [], 'numbers that do not ascend')
  t.same(variants(['+1 | a']), [], 'no line of the file')
  t.ok(hunkVariants(hunkOf([' a']))[0]?.isAsWritten)
})

test('line numbers that were copied from a listing never get into the file', async t => {
  const file = of('a\n    b\nc\n')
  const after = { 'f.txt': 'a\n    B\n    x\nc\n' }
  checkReplies(t, [
    [
      'an added line with an empty gutter',
      diffOf('@@\n   1 | a\n-  2 |     b\n+  2 |     B\n+    |     x\n   3 | c\n'),
      after,
      file,
    ],
    [
      'added lines with empty gutters alone',
      diffOf('@@\n   1 | a\n-  2 |     b\n+    |     B\n+    |     x\n   3 | c\n'),
      after,
      file,
    ],
    ['numbers without a blank', diffOf('@@\n 1|a\n-2|    b\n+2|    B\n+3|    x\n 3|c\n'), after, file],
    ['numbers with a letter', diffOf('@@\n L1: a\n-L2:     b\n+L2:     B\n+L3:     x\n L3: c\n'), after, file],
    [
      'arrows and numbers',
      diffOf('@@\n     1 | a\n->>> 2 |     b\n+>>> 2 |     B\n+    3 |     x\n     3 | c\n'),
      after,
      file,
    ],
    ['arrows alone', diffOf('@@\n     a\n->>>     b\n+>>>     B\n+        x\n     c\n'), after, file],
    [
      'a table that is added',
      diffOf('@@\n   1 | a\n+| x | y |\n   2 |     b\n'),
      { 'f.txt': 'a\n| x | y |\n    b\nc\n' },
      file,
    ],
    ['numbers of other lines', diffOf('@@\n 1|a\n-2|z\n+2|B\n'), ['not_found'], file],
  ])
})
