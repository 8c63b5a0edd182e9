import { test } from 'tap'
import { checkReplies, fenced, of } from '../../../helpers/reply-cases.ts'

test('a diff without a hunk or a file is a problem', async t => {
  checkReplies(t, [
    ['a fence with a diff without hunks', fenced('--- a/f.txt\n+++ b/f.txt\n'), ['malformed'], of('a\n')],
    ['a hunk without names and without a fence', '@@\n-x\n+y\n', ['malformed'], of('x\n')],
  ])
})
