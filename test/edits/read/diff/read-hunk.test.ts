import { test } from 'tap'
import { readHunk } from '../../../../src/edits/read/diff/read-hunk.ts'
import type { DiffText } from '../../../../src/edits/read/diff/diff-text.ts'
import { APP, app, checkReplies, diffOf, fenced, HUNK, NAMES, of, SAVED } from '../../../helpers/reply-cases.ts'

test('a hunk is read whatever is wrong with its header and its prefixes', async t => {
  checkReplies(t, [
    ['wrong counts', fenced(NAMES + HUNK.replace('-8,3 +8,3', '-8,9 +8,2')), app(SAVED)],
    ['no numbers', fenced(NAMES + HUNK.replace('-8,3 +8,3 @@', '')), app(SAVED)],
    ['three dots for numbers', fenced(NAMES + HUNK.replace('-8,3 +8,3', '...')), app(SAVED)],
    ['no hunk header', fenced(NAMES + HUNK.split('\n').slice(1).join('\n')), app(SAVED)],
    [
      'lost prefixes',
      fenced(NAMES + HUNK.replace('\n def', '\ndef').replace('\n         f', '\n        f')),
      app(SAVED),
    ],
    ['another language on the fence', fenced(NAMES + HUNK, 'python'), app(SAVED)],
    ['content that looks like names', diffOf('@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n'), of('++ y\nz\n'), of('-- x\nz\n')],
    [
      'two files in one fence with wrong counts',
      fenced(`${NAMES}${HUNK.replace('-8,3', '-8,6')}--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-x\n+y\n`),
      { ...app(SAVED), 'f.txt': 'y\n' },
      { 'src/app.py': APP, 'f.txt': 'x\n' },
    ],
    [
      'a header of git among the lines of a hunk',
      diffOf('@@ -1,3 +1,3 @@\ndiff --git a/x b/x\n-b\n+c\n d\n'),
      of('diff --git a/x b/x\nc\nd\n'),
      of('diff --git a/x b/x\nb\nd\n'),
    ],
    [
      'the same without a fence, behind counts that are wrong',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,1 +1,0 @@\n-a\n-b\ndiff --git a/q b/q\n+c\n d\n',
      ['malformed'],
      of('a\nb\ndiff --git a/q b/q\nd\n'),
    ],
    [
      'a removed and an added line that look like names, behind counts that are wrong',
      diffOf('@@ -1,1 +1,8 @@\n-a\n+b\n c\n--- sql\n+++ inc\n+-- x\n'),
      ['malformed'],
      of('a\nc\n-- sql\n'),
    ],
    ['a blank line between names and hunk', fenced(`${NAMES}\n${HUNK}`), app(SAVED)],
  ])
})

const readIn = (within: DiffText['within'], ...lines: string[]): ReturnType<typeof readHunk> =>
  readHunk({ lines, hasCr: line => line === 1, end: lines.length, within }, 0, 7)

test('a hunk has its numbers, its lines and its text', async t => {
  const { hunk, next } = readIn('fence', '@@ -3,2 +4,2 @@ x', ' a', '-b', '+c', '\\ No newline at end of file', '@@')
  t.equal(next, 5)
  t.match(hunk, { number: 7, oldStart: 3, oldCount: 2, newCount: 2, doubtfulTail: 0, spills: false })
  t.same(hunk.lines, [
    { kind: ' ', text: 'a', raw: ' a', hasCr: true, noNewline: false },
    { kind: '-', text: 'b', raw: '-b', hasCr: false, noNewline: false },
    { kind: '+', text: 'c', raw: '+c', hasCr: false, noNewline: true },
  ])
  t.equal(hunk.text, '@@ -3,2 +4,2 @@ x\n a\n-b\n+c\n\\ No newline at end of file')
  t.match(readIn('fence', 'a', '-b').hunk, {
    oldStart: null,
    lines: [{ kind: ' ', text: 'a', raw: 'a' }, { text: 'b' }],
  })
})

test('a hunk ends at the next one, the next file, a section of an envelope, or at prose', async t => {
  t.equal(readIn('fence', '@@', ' a', '--- a/x', '+++ b/x', '@@').next, 2)
  t.equal(readIn('fence', '@@', ' a', 'diff --git a/x b/x', '').next, 2)
  t.equal(readIn('fence', '@@', ' a', '*** End Patch').next, 3)
  t.equal(readIn('envelope', '@@', ' a', '*** End Patch').next, 2)
  t.match(readIn('prose', '@@ -1 +1 @@', ' a', '', 'Done.'), { next: 2, hunk: { spills: false, lines: { length: 1 } } })
  t.match(readIn('prose', '@@ -1 +1 @@', ' a', 'Done.', '+x'), { next: 2, hunk: { spills: true } })
  t.match(readIn('fence', '@@ -1 +1 @@', ' a', 'Index: x', '', '+x'), { next: 2, hunk: { spills: false } })
})

test('blank lines at the end are of the hunk as far as its counts ask for them', async t => {
  const count = (header: string): number => readIn('fence', header, ' a', '', '').hunk.lines.length
  t.equal(count('@@ -1,1 +1,1 @@'), 1)
  t.equal(count('@@ -1,2 +1,2 @@'), 2)
  t.equal(count('@@ -1,3 +1,3 @@'), 3)
  t.equal(count('@@ -1,9 +1,9 @@'), 1, 'wrong counts')
  t.equal(count('@@'), 1, 'no counts')
  const marked = readIn('fence', '@@ -1,3 +1,3 @@', ' a', '\\ No newline at end of file', '', '')
  t.equal(marked.hunk.lines.length, 1, 'behind the end of the file')
})

test('lines at the end that may be prose are counted', async t => {
  const tail = (...lines: string[]): number => readIn('prose', '@@', ...lines).hunk.doubtfulTail
  t.equal(tail(' a', '+b'), 0)
  t.equal(tail(' a', 'b', 'c'), 0)
  t.equal(readIn('prose', '@@ -1,4 +1,4 @@', ' a', '', 'b', 'c').hunk.doubtfulTail, 3)
  t.equal(readIn('prose', '@@ -1,3 +1,3 @@', '', 'b', 'c').hunk.doubtfulTail, 3)
  t.equal(readIn('fence', '@@ -1,4 +1,4 @@', ' a', '', 'b', 'c').hunk.doubtfulTail, 0)
})
