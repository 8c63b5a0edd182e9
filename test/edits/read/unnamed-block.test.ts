import { test } from 'tap'
import { app, checkReplies, fenced, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

const PATCH = `git apply <<'EOF'\n${NAMES}${HUNK}EOF\n`

test('commands that write files are edits, others are left aside', async t => {
  checkReplies(t, [
    ['a patch', fenced(PATCH, 'bash'), app(SAVED)],
    ['a patch for patch, without a language', fenced(PATCH.replace('git apply', 'patch -p1'), ''), app(SAVED)],
    [
      'a document and a patch',
      fenced(`cat > b.py <<'EOF'\nx = 1\nEOF\n${PATCH}`, 'sh'),
      { ...app(SAVED), 'b.py': 'x = 1\n' },
    ],
    ['a document out of the project', fenced("cat > /etc/x <<'EOF'\nx = 1\nEOF\n", 'sh'), ['malformed']],
    ['a patch that is cut', fenced(`git apply <<'EOF'\n${NAMES}@@ -1 +1 @@\n`, 'sh'), ['malformed']],
    ['a change in place', fenced('sed -i s/w/a/ src/app.py\n', 'sh'), ['malformed']],
    ['no change', `b.py\n${fenced('x = 1', 'python')}\n${fenced('npm test', 'sh')}`, { 'b.py': 'x = 1\n' }],
  ])
})

test('files of one name only are named by their language, once', async t => {
  const image = fenced('FROM scratch', 'dockerfile')
  checkReplies(t, [
    ['an image', `The image:\n\n${image}`, { Dockerfile: 'FROM scratch\n' }],
    ['a second one', `The image:\n\n${image}\nThe other:\n\n${image}`, ['malformed', 'malformed']],
    [
      'one that has its name above, and another',
      `Dockerfile\n${image}\nThe other:\n\n${fenced('FROM node', 'dockerfile')}`,
      ['malformed'],
    ],
    ['one in an example', `b.py\n${fenced('x = 1', 'python')}\nFor example:\n\n${image}`, { 'b.py': 'x = 1\n' }],
  ])
})

test('edits in JSON are edits, also without a name', async t => {
  const json = (value: unknown): string => fenced(JSON.stringify(value), 'json')
  checkReplies(t, [
    ['a file', `So:\n\n${json({ path: 'b.py', content: 'x = 1\n' })}`, { 'b.py': 'x = 1\n' }],
    [
      'an example of one',
      `${json({ path: 'b.py', content: 'x' })}\nFor example:\n\n${json({ path: 'c.py', content: 'x\n' })}`,
      of('x', 'b.py'),
    ],
  ])
})
