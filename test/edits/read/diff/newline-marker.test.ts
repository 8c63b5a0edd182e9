import { test } from 'tap'
import { hunkOf } from '../../../helpers/hunks.ts'
import { isNewlineMarker } from '../../../../src/edits/read/diff/newline-marker.ts'
import type { DiffText } from '../../../../src/edits/read/diff/diff-text.ts'
import { checkReplies, diffOf, of } from '../../../helpers/reply-cases.ts'

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

test('a marker ends the side of the line before it: no line of that side follows', async t => {
  const isMarker = (last: string, marker: string, ...rest: string[]): boolean => {
    const lines = [marker, ...rest]
    const text: DiffText = { lines, hasCr: () => false, end: lines.length, within: 'fence' }
    return isNewlineMarker(text, 0, hunkOf([last]).lines[0])
  }
  const marker = '\\ No newline at end of file'
  for (const [last, next, isEnd] of [
    ['-a', '+b', true],
    ['-a', '-b', false],
    ['-a', ' b', false],
    ['+a', '-b', true],
    ['+a', '+b', false],
    [' a', '+b', false],
    [' a', '-b', false],
  ] as const) {
    t.equal(isMarker(last, marker, next), isEnd, `${last} ${next}`)
  }
  for (const next of ['', '@@', '```', '*** End Patch', marker]) {
    t.equal(isMarker(' a', marker, next, ' b'), true, next)
  }
  t.equal(isMarker(' a', marker, 'diff --git a/x b/x', '', ' b'), true, 'a header of git')
  t.equal(isMarker(' a', marker, '--- a/x', '+++ b/x', ' b'), true, 'another file')
  t.equal(isMarker(' a', marker, ...Array.from({ length: 8 }, () => 'x'), ' b'), true, 'far away')
  t.equal(isMarker(' a', marker, 'x', ' b'), false)
  t.equal(isMarker(' a', marker), true)
  t.equal(isMarker(' a', '\\section'), false)
  t.equal(isMarker(' a', '\\ Kein Zeilenumbruch am Dateiende.'), true)
})
