import { test } from 'tap'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('the marker of a last line may be a line of the file', async t => {
  checkReplies(t, [
    [
      'a marker that is a line of the file, and lost its prefix at the end',
      diffOf('@@ -1,3 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n'),
      ['malformed'],
      of('a\nb\n\\ No newline at end of file\n'),
    ],
    [
      'a marker that is a line of the file',
      diffOf('@@ -1,3 +1,3 @@\n a\n\\ No newline at end of file\n-b\n+c\n'),
      of('a\n\\ No newline at end of file\nc\n'),
      of('a\n\\ No newline at end of file\nb\n'),
    ],
    ['a newline that goes', diffOf('@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n'), of('b'), of('a\n')],
    [
      'a newline that comes, in a diff without a fence whose counts ask for a line more',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n\nThat is all.\n',
      of('a\nb\n'),
      of('a\nb'),
    ],
    ['a newline that comes', diffOf('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'), of('a\n'), of('a')],
    [
      'a newline that goes while the reply has CRLF',
      diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n').replaceAll('\n', '\r\n'),
      of('a\r\nb'),
      of('a\r\nb\r\n'),
    ],
  ])
})
