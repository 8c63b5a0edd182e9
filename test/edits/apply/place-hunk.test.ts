import { test } from 'tap'
import { app, checkReplies, diffOf, fenced, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

test('a hunk stands where its lines do', async t => {
  checkReplies(t, [
    ['wrong numbers', fenced(NAMES + HUNK.replace('-8', '-80')), app(SAVED)],
    ['blanks at ends', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a  \nc\n'), of('a  \nb\t\n')],
    [
      'dots for what is between',
      diffOf('@@ -1,5 +1,5 @@\n a\n-b\n+B\n ...\n-e\n+E\n'),
      of('a\nB\nc\nd\nE\n'),
      of('a\nb\nc\nd\ne\n'),
    ],
    [
      'a removed line that is only alike',
      diffOf('@@ -1,2 +1,2 @@\n a\n-return items\n+return 1\n'),
      ['not_found'],
      of('a\nreturn item\n'),
    ],
    ['a gap whose parts stand in two places', diffOf('@@\n a\n ...\n-x\n+y\n'), ['not_found'], of('a\nb\nx\nc\nx\n')],
  ])
})
