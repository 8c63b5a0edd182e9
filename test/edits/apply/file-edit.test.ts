import { test } from 'tap'
import { hunkOf } from '../../helpers/hunks.ts'
import { FileEdit, type HunkOutcome } from '../../../src/edits/apply/file-edit.ts'
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
    [
      'a second diff whose numbers are nearly right, after one whose were not',
      diffOf('@@ -1 +1 @@\n-a\n+A\n') + diffOf('@@ -4 +4 @@\n-x\n+y\n'),
      of('1\n2\ny\n4\n5\n6\nA\n8\n9\nx\n11\n'),
      of('1\n2\nx\n4\n5\n6\na\n8\n9\nx\n11\n'),
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
    ['an insertion at the first line of an empty file', diffOf('@@ -1,0 +1 @@\n+b\n'), of('b\n'), of('')],
    ['an insertion behind the end of an empty file', diffOf('@@ -2,0 +2 @@\n+b\n'), ['malformed'], of('')],
  ])
})

/** A file, and what becomes of hunks of these lines. */
function editOf(text: string, wasDone = false): { edit: FileEdit; apply: (...lines: string[]) => HunkOutcome } {
  const edit = new FileEdit(text, { work: { left: 1e6 }, wasDone: () => wasDone })
  return { edit, apply: (...lines) => edit.apply(hunkOf(lines)) }
}

test('a hunk is applied once, and others go on from what it made', async t => {
  const { edit, apply } = editOf('a\nb\n')
  t.same(apply('-a', '+A'), { done: 'applied' })
  t.equal(edit.text, 'A\nb\n')
  t.same(apply('-a', '+A'), { done: 'repeated' })
  t.match(apply('-a', '+other'), { failed: 'not_found', detail: /has changed these lines/ })
  t.same(apply(' A', '-b', '+B'), { done: 'applied' }, 'on the first one')
  t.equal(edit.text, 'A\nB\n')
  t.equal(edit.read(), 'A\nB\n')
  t.same(edit.index.lines, ['A', 'b'], 'the lines that the last hunk was written against')
  t.match(apply('-gone'), { failed: 'not_found' })
})

test('a hunk that an earlier turn has applied is not applied again', async t => {
  t.same(editOf('a\nb\n', true).apply(' a', '+b'), { done: 'repeated' })
  t.same(editOf('a\nc\n', true).apply(' a', '+b'), { done: 'applied' }, 'its new side is gone')
  t.same(editOf('x\nnew\n', true).apply('-old', '+new'), { done: 'repeated' })
  t.same(editOf('a\nnew line\n').apply(' a', '-old line', '+new line'), { done: 'already' })
})

test('a place that nobody can tell, or a line that lost its prefix, is refused', async t => {
  t.match(editOf('x\na\nx\n').apply('-x'), { failed: 'ambiguous', detail: /2 times, at lines 1, 3\./ })
  t.match(editOf('x\n'.repeat(21)).apply('-x'), { failed: 'ambiguous', detail: /, 20 …\./ })
  t.match(editOf('a\n+b\n').apply(' a', '+b'), { failed: 'malformed', detail: /blank before a context line/ })
  t.match(editOf('a\n\nb\n').apply(' a', '+x', ' b'), { failed: 'malformed', detail: /has blank lines/ })
  t.match(editOf(' a\nb\n').apply('-  a', '- b', '+c'), { failed: 'malformed', detail: /less indentation/ })
})
