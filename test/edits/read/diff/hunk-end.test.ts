import { test } from 'tap'
import { areChanges, beginsProse, changesFollow, isBetweenDiffs } from '../../../../src/edits/read/diff/hunk-end.ts'
import type { DiffText } from '../../../../src/edits/read/diff/diff-text.ts'
import { app, checkReplies, diffOf, HUNK, NAMES, of, SAVED } from '../../../helpers/reply-cases.ts'

test('a hunk ends where the prose after it begins, or the reply says that it cannot be told', async t => {
  checkReplies(t, [
    ['no fence', `Here:\n\n${NAMES}${HUNK}\nThat should do.\n`, app(SAVED)],
    [
      'no fence, and cut off',
      `${NAMES}@@ -8,3 +8,3 @@\n def save(path, text):\n-    with open(path, "w") as f:\n+    with op`,
      ['truncated'],
    ],
    ['no fence, and cut off behind context', `${NAMES}@@ -8,3 +8,3 @@\n def save(path, text):\n`, ['truncated']],
    [
      'no fence, and counts that leave changes out',
      `${NAMES}@@ -8,1 +8,1 @@\n def save(path, text):\n\n-    with open(path, "w") as f:\n` +
        '+    with open(path, "a") as f:\n',
      ['malformed'],
    ],
    ['no fence, then a list', `${NAMES}${HUNK}\n- It works now.\n- Tests pass.\n`, app(SAVED)],
    [
      'the same without a fence, and what is left of the hunk is taken for a list',
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,5 +1,4 @@\n-a\n+A\n@@ -1,2 +1,2 @@51\nb\nc\nd\n- e\nf\n',
      ['malformed'],
      of('a\n@@ -1,2 +1,2 @@51\nb\nc\nd\n e\nf\n'),
    ],
    [
      'a list that gets an item',
      diffOf('@@ -1,2 +1,3 @@\n - a\n+- b\n - c\n'),
      of('- a\n- b\n- c\n'),
      of('- a\n- c\n'),
    ],
    ['a list without prefixes', diffOf('@@ -1,3 +1,3 @@\n# T\n+ a\n-x\n'), ['not_found'], of('# T\n+ a\nx\n')],
    [
      'a list whose items lost their prefixes and look removed',
      diffOf('@@ -1,2 +1,3 @@\n# T\n- a\n+- b\n'),
      ['not_found'],
      of('# T\n- a\n'),
    ],
  ])
})

const textOf = (...lines: string[]): DiffText => ({ lines, hasCr: () => false, end: lines.length, within: 'prose' })

test('prose begins where the counts are spent, else where a fence or a paragraph does', async t => {
  const begins = (lines: string[], isCounted: boolean, isSpent: boolean): boolean =>
    beginsProse(textOf(...lines), 0, { isCounted, isSpent })
  t.equal(begins(['Done.'], true, false), false, 'the counts ask for more')
  t.equal(begins(['Done.'], true, true), true)
  for (const prefix of [' ', '+', '-', '\\']) t.equal(begins([`${prefix}x`], true, true), false, prefix)
  t.equal(begins(['```'], false, true), true)
  t.equal(begins([' ```'], false, true), false, 'a fence with a prefix')
  t.equal(begins(['Done.'], false, true), false)
  t.equal(begins(['', 'Done.'], false, true), true)
  t.equal(begins(['', '', ' x'], false, true), false)
  t.equal(begins(['', '@@'], false, true), false)
  t.equal(begins([''], false, true), false, 'nothing follows')
  t.equal(begins([...Array.from({ length: 20 }, () => ''), ' x'], false, true), true, 'many blank lines')
})

test('changes follow where a line with a sign is no item of a list and no line between diffs', async t => {
  const follow = (...lines: string[]): boolean => changesFollow(textOf(...lines), 0)
  t.equal(follow('Done.', '+x'), true)
  t.equal(follow('Done.', '-x'), true)
  t.equal(follow('Done.', '- x'), false, 'an item')
  t.equal(follow('Done.', '---'), false, 'a rule')
  t.equal(follow('```', '- x'), true, 'an item behind a fence, which may be a line of the file')
  t.equal(follow('', '```', '- x'), true)
  t.equal(follow('', '```py', '+x'), false, 'another block')
  t.equal(follow('```py', '+x'), true)
  t.equal(follow('Done.', '```py', '+x'), false)
  t.equal(follow('--- a/x', '+++ b/x', '+x'), false, 'another diff')
  t.equal(follow('-- ', '2.39.1'), false, 'the end of a mail')
  t.equal(follow('Done.'), false)
})

test('lines that tools write between diffs are told from lines of a file by what follows', async t => {
  const isBetween = (...lines: string[]): boolean => isBetweenDiffs(lines, 0)
  t.equal(isBetween('-- ', '2.39.1'), true)
  t.equal(isBetween('--', '2.39.1'), true)
  t.equal(isBetween('-- ', 'x'), false)
  for (const line of [
    'index 1234..5678 100644',
    'Index: a',
    '='.repeat(20),
    'Only in a: b',
    'Binary files a and b differ',
  ]) {
    t.equal(isBetween(line, ''), true, line)
    t.equal(isBetween(line), true, `${line}, the last line`)
    t.equal(isBetween(line, '--- a/x', '+++ b/x'), true, line)
    t.equal(isBetween(line, '='.repeat(20)), true, line)
    t.equal(isBetween(line, 'diff --git a/x b/x', ''), true, line)
    t.equal(isBetween(line, 'x'), false, line)
  }
  t.equal(isBetween('x', ''), false)
})

test('lines that look like names are changes where the counts, or the names, say so', async t => {
  const lines = ['--- a/x', '+++ b/x', ' y']
  const before = ['--- a/x', '+++ b/x', '@@']
  t.equal(areChanges(textOf(...lines), 0, { old: 1, added: 2 }), true)
  t.equal(areChanges(textOf(...lines), 0, { old: 0, added: 2 }), false)
  t.equal(areChanges(textOf(...lines), 0, { old: 1, added: 0 }), false)
  t.equal(areChanges(textOf(...before), 0, { old: 1, added: 1 }), true, 'the last two lines of a hunk')
  t.equal(areChanges(textOf(...before), 0, { old: 2, added: 1 }), false)
  t.equal(areChanges(textOf(...lines), 0, null), false, 'the same name twice')
  t.equal(areChanges(textOf('--- x', '+++ y'), 0, null), true, 'two names')
  t.equal(areChanges(textOf('--- x', '+++ y', '@@'), 0, null), false)
})
