import { test } from 'tap'
import { app, checkReplies, fenced, HUNK, of, SAVED } from '../../../helpers/reply-cases.ts'

test('a diff is of the file that its names, or the line above, say', async t => {
  checkReplies(t, [
    ['no prefixes', fenced(`--- src/app.py\n+++ src/app.py\n${HUNK}`), app(SAVED)],
    ['one prefix for both', fenced(`--- a/src/app.py\n+++ a/src/app.py\n${HUNK}`), app(SAVED)],
    [
      'a folder named b',
      fenced('--- b/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-x\n+y\n'),
      of('y\n', 'b/f.txt'),
      of('x\n', 'b/f.txt'),
    ],
    ['no names, but one above', `src/app.py\n${fenced(HUNK)}`, app(SAVED)],
    [
      'names that say nothing, and one above',
      `**src/app.py**\n${fenced(`--- original\n+++ modified\n${HUNK}`)}`,
      app(SAVED),
    ],
    ['no names at all', fenced(HUNK), ['malformed']],
    ['one name only', fenced(`+++ b/src/app.py\n${HUNK}`), app(SAVED)],
  ])
})
