import { test } from 'tap'
import { checkReplies, diffOf, fenced, of } from '../../helpers/reply-cases.ts'

test('numbers that are copied from a listing are no part of a file', async t => {
  checkReplies(t, [
    ['numbers of a listing', `a.py\n${fenced('    1 | x = 1\n    2 | y = 2', 'python')}`, { 'a.py': 'x = 1\ny = 2\n' }],
    ['numbers of an excerpt', `a.py\n${fenced('   41 | x = 1\n   42 | y = 2', 'python')}`, ['malformed']],
    [
      'numbers copied from the listing',
      diffOf('@@ -1,3 +1,3 @@\n      1 | a\n-     2 | b\n+     2 | B\n      3 | c\n'),
      of('a\nB\nc\n'),
      of('a\nb\nc\n'),
    ],
  ])
})
