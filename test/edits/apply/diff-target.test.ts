import { test } from 'tap'
import { app, checkReplies, diffOf, fenced, HUNK, SAVED } from '../../helpers/reply-cases.ts'

test('a diff means the only file that its name fits', async t => {
  checkReplies(t, [
    ['another case', fenced(`--- a/src/App.py\n+++ b/src/App.py\n${HUNK}`), app(SAVED)],
    ['an end of the path', fenced(`--- a/app.py\n+++ b/app.py\n${HUNK}`), app(SAVED)],
    ['folders too many', fenced(`--- a/project/src/app.py\n+++ b/project/src/app.py\n${HUNK}`), app(SAVED)],
    [
      'an end of several paths',
      diffOf('@@ -1 +1 @@\n-x\n+y\n', 'm.py'),
      ['no_such_file'],
      { 'a/m.py': 'x\n', 'b/m.py': 'x\n' },
    ],
    ['no such file', diffOf('@@ -1 +1 @@\n-x\n+y\n', 'no.py'), ['no_such_file']],
  ])
})
