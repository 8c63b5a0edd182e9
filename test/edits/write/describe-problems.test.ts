import { test } from 'tap'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'
import { describeProblems } from '../../../src/edits/write/describe-problems.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'

test('a problem is told with its hunk and the real lines that look most like it', async t => {
  const { rejected } = applyEdits(
    new Map([['a.py', 'import os\n\ndef total(items):\n    result = sum(items)\n    return result\n']]),
    readReply(
      '```diff\n--- a/a.py\n+++ b/a.py\n@@ -3,2 +3,2 @@\n def total(items):\n' +
        '-    result = sum(values)\n+    result = sum(items or [])\n```\n',
    ),
  )
  const text = describeProblems(rejected)
  t.match(text, /^1\. a\.py, hunk 1: not_found\. The lines that this hunk removes/)
  t.match(text, /What you sent:\n {4}@@ -3,2 \+3,2 @@\n {5}def total/)
  t.match(
    text,
    /What the file has from line 3 on \(\d\d % alike\):\n {4}def total\(items\):\n {8}result = sum\(items\)/,
  )
})

test('many problems are told as far as a model will read', async t => {
  const problem = {
    path: null,
    hunk: null,
    reason: 'malformed' as const,
    detail: 'x',
    hunkText: 'y\n'.repeat(100),
    nearest: [{ startLine: 5, lines: new Array<string>(31).fill('z'), similarity: 0.5 }],
  }
  const text = describeProblems(new Array(40).fill(problem))
  t.match(text, /… and 10 more\./)
  t.match(text, /\[… 41 more lines\]/)
  t.match(text, /( {4}z\n){30} {4}\[… 1 more lines\]/)
  t.equal(describeProblems(new Array(30).fill(problem)).includes('more.'), false)
})
