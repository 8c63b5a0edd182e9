import { test } from 'tap'
import { diffText } from '../../src/text/diff-text.ts'
import type { Paint } from '../../src/text/paint.ts'

const paint: Paint = (format, text) => `<${String(format)}>${text}`

test('lines of a diff get their colours by the counts of their hunk', async t => {
  const diff = [
    'diff --git a/a.sql b/a.sql',
    '--- a/a.sql',
    '+++ b/a.sql',
    '@@ -1,3 +1,2 @@',
    ' one',
    '--- a comment that goes',
    '-two',
    '+++ three',
    '\\ No newline at end of file',
    '--- a/b',
    '+++ b/b',
    '@@ -1 +1 @@',
    '-x',
    '+y',
    '',
  ].join('\n')
  t.strictSame(diffText(diff, paint).split('\n'), [
    '<bold>diff --git a/a.sql b/a.sql',
    '<bold>--- a/a.sql',
    '<bold>+++ b/a.sql',
    '<cyan>@@ -1,3 +1,2 @@',
    ' one',
    '<red>--- a comment that goes',
    '<red>-two',
    '<green>+++ three',
    '\\ No newline at end of file',
    '<bold>--- a/b',
    '<bold>+++ b/b',
    '<cyan>@@ -1 +1 @@',
    '<red>-x',
    '<green>+y',
  ])
})

test('what would steer a terminal or turn code around is shown', async t => {
  t.equal(
    diffText('@@ -1 +1 @@\n-a\u001B[2J\n+b\u202E\r\n', paint),
    '<cyan>@@ -1 +1 @@\n<red>-a\\u001B[2J\n<green>+b\\u202E\\u000D',
  )
})
