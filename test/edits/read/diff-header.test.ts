import { test } from 'tap'
import { app, checkReplies, fenced, HUNK, NAMES, SAVED } from '../../helpers/reply-cases.ts'

test('links, modes and binary patches are refused', async t => {
  checkReplies(t, [
    [
      'a git header',
      fenced(`diff --git a/src/app.py b/src/app.py\nindex 123abc..456def 100644\n${NAMES}${HUNK}`),
      app(SAVED),
    ],
    [
      'a binary patch',
      fenced('diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n'),
      ['malformed'],
    ],
    [
      'a link',
      fenced('diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n'),
      ['malformed'],
    ],
    ['a mode only', fenced('diff --git a/src/app.py b/src/app.py\nold mode 100644\nnew mode 100755\n'), ['malformed']],
  ])
})
