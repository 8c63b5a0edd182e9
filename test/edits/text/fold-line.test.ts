import { test } from 'tap'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('characters that were made nice are those of the file', async t => {
  checkReplies(t, [
    ['quotes that were made nice', diffOf('@@ -1 +1 @@\n-say(“x”)\n+say(“y”)\n'), of('say("y")\n'), of('say("x")\n')],
    ['a blank that does not break', diffOf('@@ -1,2 +1,2 @@\n a\u00A0b\n-c\n+d\n'), of('a b\nd\n'), of('a b\nc\n')],
    ['letters composed in another way', diffOf('@@ -1 +1 @@\n-e\u0301\n+e\n'), of('e\n'), of('é\n')],
    ['dashes that were made nice', diffOf('@@ -1 +1 @@\n-a – b\n+a\n'), of('a\n'), of('a - b\n')],
  ])
})
