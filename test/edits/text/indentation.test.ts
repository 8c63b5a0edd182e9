import { test } from 'tap'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('a hunk is shifted to the indentation of its file', async t => {
  checkReplies(t, [
    [
      'less indentation',
      diffOf('@@ -1,2 +1,3 @@\n if x:\n-    y\n+    z\n+    w\n'),
      of('  if x:\n      z\n      w\n'),
      of('  if x:\n      y\n'),
    ],
    [
      'blanks for tabs',
      diffOf('@@ -1,2 +1,3 @@\n if x:\n-    y\n+    z\n+        w\n'),
      of('if x:\n\tz\n\t\tw\n'),
      of('if x:\n\ty\n'),
    ],
    ['a blank after each sign', diffOf('@@ -1,2 +1,2 @@\n  a\n- b\n+ c\n'), of('a\nc\n'), of('a\nb\n')],
  ])
})
