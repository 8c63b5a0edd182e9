import { test } from 'tap'
import { APP, app, checkReplies, diffOf, fenced, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

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
