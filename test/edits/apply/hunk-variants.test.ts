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
