import { test } from 'tap'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('the byte order mark of a file changes only where a diff shows it', async t => {
  checkReplies(t, [
    ['a byte order mark', diffOf('@@ -1 +1 @@\n-a\n+b\n'), of('\uFEFFb\n'), of('\uFEFFa\n')],
    [
      'a byte order mark that the diff shows',
      diffOf('@@ -1,2 +1,2 @@\n-\uFEFFa\n+\uFEFFb\n c\n'),
      of('\uFEFFb\nc\n'),
      of('\uFEFFa\nc\n'),
    ],
    ['a byte order mark that goes', diffOf('@@ -1 +1 @@\n-\uFEFFa\n+a\n'), of('a\n'), of('\uFEFFa\n')],
    ['a byte order mark that comes', diffOf('@@ -1 +1 @@\n-a\n+\uFEFFa\n'), of('\uFEFFa\n'), of('a\n')],
  ])
})
