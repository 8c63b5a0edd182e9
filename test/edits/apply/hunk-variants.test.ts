import { test } from 'tap'
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
