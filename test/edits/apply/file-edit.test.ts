import { test } from 'tap'
import { app, checkReplies, diffOf, fenced, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

test('the same change at the same place is made once', async t => {
  checkReplies(t, [
    ['the same diff twice', fenced(NAMES + HUNK).repeat(2), app(SAVED)],
    ['the same insertion twice', diffOf('@@ -1 +1,2 @@\n a\n+b\n').repeat(2), of('a\nb\n'), of('a\n')],
    [
      'the same text at two places',
      diffOf('@@ -1 +1 @@\n-x\n+y\n@@ -3 +3 @@\n-x\n+y\n'),
      of('y\na\ny\n'),
      of('x\na\nx\n'),
    ],
    ['done already', fenced(NAMES + HUNK), {}, of(SAVED, 'src/app.py')],
    [
      'a second diff on the first',
      diffOf('@@ -1 +1 @@\n-a\n+b\n') + diffOf('@@ -1 +1,2 @@\n b\n+c\n'),
      of('b\nc\n'),
      of('a\n'),
    ],
    [
      'a second version of a file, and a diff on it',
      `f.txt\n${fenced('a', '')}\n${diffOf('@@ -1 +1,2 @@\n a\n+b\n')}`,
      of('a\nb\n'),
      of('x\n'),
    ],
    [
      'the same insertion at two places',
      diffOf('@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -3,2 +4,3 @@\n a\n+x\n c\n'),
      of('a\nx\nb\na\nx\nc\n'),
      of('a\nb\na\nc\n'),
    ],
  ])
})

test('a hunk without context is placed by its number', async t => {
  checkReplies(t, [
    ['an insertion at its number', diffOf('@@ -1,0 +2 @@\n+b\n'), of('a\nb\nc\n'), of('a\nc\n')],
    [
      'an insertion whose counts do not come out, beside a line with a plus that is like its own',
      diffOf('@@ -1,0 +1,0 @@\n+\n+a\n'),
      ['malformed'],
      of('+\n'),
    ],
    [
      'an insertion that counts lines and shows none',
      diffOf('@@ -2,3 +2,4 @@\n+b\n'),
      ['malformed'],
      of('a\nc\nd\ne\n'),
    ],
    ['an insertion outside', diffOf('@@ -9,0 +10 @@\n+b\n'), ['malformed'], of('a\nc\n')],
    ['an insertion without number', diffOf('@@\n+b\n'), ['malformed'], of('a\nc\n')],
    ['an insertion at the end by number', diffOf('@@ -2,0 +3 @@\n+b\n'), of('a\nc\nb\n'), of('a\nc\n')],
    ['an insertion into an empty file', diffOf('@@ -0,0 +1 @@\n+b\n'), of('b\n'), of('')],
  ])
})
