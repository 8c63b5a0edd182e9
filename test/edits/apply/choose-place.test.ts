import { test } from 'tap'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('of several places the one is chosen that the hunk clearly means', async t => {
  checkReplies(t, [
    [
      'several places, one at the number',
      diffOf('@@ -3 +3 @@\n-x\n+y\n'),
      of('x\na\ny\nb\nx\n'),
      of('x\na\nx\nb\nx\n'),
    ],
    ['several places, none near', diffOf('@@ -40 +40 @@\n-x\n+y\n'), ['ambiguous'], of('x\na\nx\n')],
    [
      'several places, the one at the number with blanks at its end',
      diffOf('@@ -3 +3 @@\n-a\n+b\n'),
      of('a\nx\nb\n'),
      of('a\nx\na  \n'),
    ],
    ['several places, no number', diffOf('@@\n-x\n+y\n'), ['ambiguous'], of('x\na\nx\n')],
    [
      'several places, one clearly nearest',
      diffOf('@@ -31 +31 @@\n-x\n+y\n'),
      of(`x\n${'a\n'.repeat(30)}y\n`),
      of(`x\n${'a\n'.repeat(30)}x\n`),
    ],
    [
      'several places, one behind the section that the header names',
      diffOf('@@ def b():\n-    x\n+    y\n'),
      of('def a():\n    x\ndef b():\n    y\n'),
      of('def a():\n    x\ndef b():\n    x\n'),
    ],
  ])
})
