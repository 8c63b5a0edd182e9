import { test } from 'tap'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('lines are not added or removed among blank lines that the hunk does not show', async t => {
  checkReplies(t, [
    [
      'a blank line that is not shown',
      diffOf('@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'),
      of('a\n\nx\nc\n'),
      of('a\n\nb\nc\n'),
    ],
    [
      'one of two blank lines is removed, and the other one is not shown',
      diffOf('@@\n a\n-\n+b\n'),
      ['malformed'],
      of('a\n\n\n'),
    ],
    [
      'blank lines that are not shown where one is added',
      diffOf('@@ -1,2 +1,3 @@\n a\n+x\n b\n'),
      ['malformed'],
      of('a\n\nb\n'),
    ],
    [
      'a blank line between what is removed',
      diffOf('@@ -1,3 +1,2 @@\n-a\n-b\n+x\n c\n'),
      of('\nx\nc\n'),
      of('a\n\nb\nc\n'),
    ],
    ['one of several blank lines is removed', diffOf('@@ -1,3 +1,2 @@\n a\n-\n b\n'), ['not_found'], of('a\n\n\nb\n')],
    [
      'the line end of the lines that a hunk shows, and not of one that it leaves out',
      diffOf('@@\n a\n-b\n\\ No newline at end of file\n+b\n'),
      of('a\n\r\nb\n'),
      of('a\n\r\nb'),
    ],
  ])
})
