import { test } from 'tap'
import { checkReplies, diffOf, fenced, of } from '../../helpers/reply-cases.ts'

test('a block keeps what of a file it cannot show', async t => {
  checkReplies(t, [
    [
      'CRLF and mark of the file are kept',
      `f.txt\n${fenced('a\nc', '')}`,
      of('\uFEFFa\r\nc\r\n'),
      of('\uFEFFa\r\nb\r\n'),
    ],
    ['line ends of the neighbours', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a\r\nc\r\nd\n'), of('a\r\nb\r\nd\n')],
    ['no newline at the end stays', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a\nc'), of('a\nb')],
    ['mixed line ends stay', diffOf('@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'), of('a\nx\nc\r\nd\n'), of('a\nb\nc\r\nd\n')],
    [
      'a file of whole lines keeps having no newline at the end',
      `f.txt\n${fenced('a\nc', '')}`,
      of('a\nc'),
      of('a\nb'),
    ],
  ])
})
