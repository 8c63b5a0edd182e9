import { test } from 'tap'
import { app, checkReplies, diffOf, fenced, HUNK, of, SAVED } from '../../../helpers/reply-cases.ts'

test('names in the header of a diff are read however they are spelled', async t => {
  checkReplies(t, [
    [
      'dates behind the names',
      fenced(`--- a/src/app.py\t2026-01-01 10:00:00\n+++ b/src/app.py 2026-01-01 10:00:00.000 +0000\n${HUNK}`),
      app(SAVED),
    ],
    [
      'remarks behind the names',
      fenced(`--- a/src/app.py (original)\n+++ b/src/app.py (modified)\n${HUNK}`),
      app(SAVED),
    ],
    [
      'a quoted name',
      fenced('--- "a/\\303\\251.txt"\n+++ "b/\\303\\251.txt"\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'é.txt'),
      of('x\n', 'é.txt'),
    ],
    ['a path from the root', fenced(`--- /src/app.py\n+++ /src/app.py\n${HUNK}`), ['bad_path']],
    [
      'a name in brackets',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', 'app/[slug]/page.tsx'),
      of('y\n', 'app/[slug]/page.tsx'),
      of('x\n', 'app/[slug]/page.tsx'),
    ],
    ['names in backticks', fenced(`--- \`src/app.py\`\n+++ \`src/app.py\`\n${HUNK}`), app(SAVED)],
    [
      'a name with blanks',
      fenced('--- a/my file.txt\t\n+++ b/my file.txt\t\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'my file.txt'),
      of('x\n', 'my file.txt'),
    ],
  ])
})
