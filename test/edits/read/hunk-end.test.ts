import { test } from 'tap'
import { app, checkReplies, diffOf, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

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
