import { test } from 'tap'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('a line of the file that looks like a header is not taken for one', async t => {
  checkReplies(t, [
    ['no line that changes', diffOf('@@ -1,2 +1,2 @@\n x\n y\n'), ['malformed'], of('x\ny\n')],
    [
      'a context line that looks like a header of a hunk and lost its prefix',
      diffOf('@@ -1,2 +1,3 @@\n a\n@@ -1,2 +1,3 @@ b\n+c\n'),
      ['malformed'],
      of('a\n@@ -1,2 +1,3 @@ b\n'),
    ],
    [
      'the same behind a hunk without numbers',
      diffOf('@@ ... @@\na\n+b\nc\n@@ -1,2 +1,3 @@56\n+d\n'),
      ['malformed'],
      of('a\nc\n@@ -1,2 +1,3 @@56\n'),
    ],
    [
      'a context line that begins with a plus, lost its prefix, and is like the line that is removed',
      diffOf('@@ -1,3 +1,2 @@\n+ a\n-+ a\n\n'),
      ['malformed'],
      of('+ a\n+ a\n\n'),
    ],
    [
      'a context line that looks like a header of git, lost its prefix, and is followed by another such line',
      diffOf('@@\n-a\n+b\ndiff --git a/q b/q\nnew file mode 100644\nc\n-d\n'),
      ['malformed'],
      of('a\ndiff --git a/q b/q\nnew file mode 100644\nc\nd\n'),
    ],
    [
      'a context line that is a minus, lost its prefix, and stands behind a blank line that is not shown',
      diffOf('@@\n a\n-\n+b\n'),
      ['malformed'],
      of('a\n  \n-\n'),
    ],
    [
      'a good hunk beside a bad one',
      diffOf('@@ -1 +1 @@\n-nope\n+no\n@@ -2 +2 @@\n-b\n+B\n'),
      ['not_found'],
      of('a\nb\n'),
    ],
    [
      'salvage: of three hunks the second is wrong',
      diffOf('@@ -1 +1 @@\n-a\n+A\n@@ -9 +9 @@\n-z\n+Z\n@@ -3 +3 @@\n-c\n+C\n'),
      ['not_found'],
      of('a\nb\nc\n'),
    ],
  ])
})
