import { test } from 'tap'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { app, checkReplies, F, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

test('a file between tags is taken as it stands', async t => {
  checkReplies(t, [
    ['indented', '<file path="a.py">\n  x = 1\n    y = 2\n</file>\n', of('  x = 1\n    y = 2\n', 'a.py')],
    [
      'two of them',
      '<file path="a">\nx\n</file>\n<file path="b">\ny\n</file>\n',
      { ...of('x\n', 'a'), ...of('y\n', 'b') },
    ],
    ['an empty one', '<file path="a.py">\n</file>\n', of('', 'a.py')],
    ['with a fence inside', `<file path="a.py">\n\n${F}python\nx = 1\n${F}\n</file>\n`, of('x = 1\n', 'a.py')],
    ['a path that leads out', '<file path="../a.py">\nx\n</file>\n', ['bad_path']],
    ['not closed', '<file path="a.py">\nx = 1\n', ['malformed']],
  ])
})

test('a diff without a fence is read, and the text behind it is none', async t => {
  checkReplies(t, [
    ['alone', `${NAMES}${HUNK}`, app(SAVED)],
    ['between words', `Change it so:\n\n${NAMES}${HUNK}\nThat is all.\n`, app(SAVED)],
    ['with its name above', `src/app.py\n\n${HUNK}`, app(SAVED)],
    ['half of one', '--- a/src/app.py\n\nand so on\n', ['malformed']],
  ])
})

test('each region of a reply is told with its first and its last line', async t => {
  const regions = (text: string) => readReply(text).regions.map(({ from, to, as }) => [from, to, as])
  t.same(regions(`Words.\n${NAMES}${HUNK}`), [[1, 7, 'edit']])
  t.same(regions('x\n<file path="a.py">\nx = 1\n</file>\ny\n'), [[1, 3, 'edit']])
  t.same(regions('x\n{"path": "a.py", "content": "x"}\ny\n'), [[1, 1, 'edit']])
  t.same(regions('{"path": "a.py", "content": "x"}\ny\n'), [[0, 0, 'edit']])
  t.same(regions('a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\nz\n'), [[1, 5, 'edit']])
})
