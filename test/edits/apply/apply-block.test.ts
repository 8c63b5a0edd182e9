import { test } from 'tap'
import { APP, app, checkReplies, F, fenced, HUNK, NAMES, SAVED } from '../../helpers/reply-cases.ts'

test('a block writes a file, unless it looks like an excerpt of it', async t => {
  checkReplies(t, [
    ['the last version wins', `a.py\n${fenced('1', '')}\na.py\n${fenced('2', '')}`, { 'a.py': '2\n' }],
    ['a file that stands there is replaced', `src/app.py\n${fenced('x = 1', 'python')}`, app('x = 1\n')],
    ['an excerpt under a sentence', `In \`src/app.py\`, change:\n${fenced('x = 1', 'python')}`, ['malformed']],
    [
      'an excerpt beside the diff that it explains',
      `The fault in \`src/app.py\` is:\n${fenced('return x', 'python')}\n${fenced(NAMES + HUNK)}`,
      app(SAVED),
    ],
    ['a file where a folder is', `src\n${F}\nx\n${F}\n`, ['malformed']],
    ['a file below a file', `src/app.py/x.py\n${fenced('x', '')}`, ['bad_path']],
    ['prose alone', 'It is fine as it is.', {}],
    [
      'all of a file under a sentence that may announce a part',
      `Change \`src/app.py\`:\n${fenced(SAVED, 'python')}`,
      app(SAVED),
    ],
    ['a block that only repeats the file', `src/app.py\n${fenced(APP, 'python')}`, {}],
  ])
})
