import { test } from 'tap'
import { NO_EDIT, readReply } from '../../../src/edits/read/read-reply.ts'
import { checkReplies, fenced, HUNK, NAMES, of } from '../../helpers/reply-cases.ts'

test('what looks like an edit and is none is a problem', async t => {
  checkReplies(t, [
    [
      'a good diff beside a path outside',
      `${fenced(NAMES + HUNK)}${fenced('--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n')}`,
      ['bad_path'],
    ],
    ['names of a diff, and nothing else', 'I would change\n--- a/f.txt\n', ['malformed'], of('x\n')],
    ['fences with nothing in them', fenced('', ''), ['malformed']],
    ['a file between tags', '<file path="a.py">\nx = 1\n</file>\n', { 'a.py': 'x = 1\n' }],
    [
      'a file in a fence between tags',
      `<file path="a.py">\n${fenced('x = 1', 'python')}</file>\n`,
      { 'a.py': 'x = 1\n' },
    ],
    ['a here-document', fenced("cat > a.py <<'EOF'\nx = 1\nEOF", 'bash'), { 'a.py': 'x = 1\n' }],
    ['a here-document that is added', fenced("cat >> a.py <<'EOF'\nx = 1\nEOF", 'bash'), { 'a.py': 'x = 1\n' }],
    ['files as JSON', fenced('{"files": [{"path": "a.py", "content": "x"}]}', 'json'), { 'a.py': 'x' }],
  ])
})

/** What is read out of a reply of these lines: paths of files with their lines, of diffs, and reasons of problems. */
function read(...lines: string[]): unknown[] {
  const { files, diffs, problems } = readReply(lines.join('\n'))
  return [
    ...files.map(({ path, line }) => `${path} at ${line}`),
    ...diffs.map(({ newPath, oldPath, line }) => `diff of ${newPath ?? oldPath} at ${line}`),
    ...problems.map(({ reason }) => reason),
  ]
}

test('blocks and diffs are read in their order, each with its line', async t => {
  t.same(read('a.py', '```', 'x', '```', 'b.py', '```', 'y', '```'), ['a.py at 2', 'b.py at 6'])
  t.same(read('```diff', '--- a/x', '+++ b/x', '@@', '-a', '+b', '```'), ['diff of x at 1'])
  t.same(read('--- a/x', '+++ b/x', '@@', '-a', '+b'), ['diff of x at 0'])
  t.same(
    read('```diff', '--- a/x', '+++ b/x', '@@', '-a', '+b', '```', '```diff', '@@', '-c', '+d', '```'),
    ['diff of x at 1', 'diff of x at 8'],
    'hunks without names are of the file before',
  )
  t.same(read('a.py', '```', 'x', '```', '```', 'y', '```'), ['a.py at 2'], 'a block has its own name only')
})

test('a fence without a name may hold a whole reply, where nothing else is read', async t => {
  t.same(read('````', 'a.py', '```', 'x', '```', '````'), ['a.py at 3'])
  t.same(read('````text', '--- a/x', '+++ b/x', '@@', '-a', '+b', '````'), ['diff of x at 1'])
  t.same(read('````python', 'a.py', '```', 'x', '```', '````'), ['malformed'], 'a language of code')
  t.same(read('b.py', '```', 'y', '```', '````', 'a.py', '```', 'x', '```', '````'), ['b.py at 2'])
})

test('a closing fence too many is passed over, and one that does not close ends the reading', async t => {
  t.same(read('a.py', '```', 'x', '```', '', '```', 'b.py', '```py', 'y', '```'), ['a.py at 2', 'b.py at 8'])
  t.same(read('a.py', '```', 'x', '```', '```'), ['a.py at 2'])
  t.same(read('a.py', '```', 'x', 'b.py', '```py', 'y', '```'), ['truncated'])
  t.same(read('a.md', '```', 'x', '```', 'y', '```', 'z', '```'), ['malformed'])
})

test('a reply with marks of edits and without an edit is a problem', async t => {
  for (const line of ['```\nx\n```', '@@', '--- a/x', '+++ b/x', '<file path="a.py">']) {
    t.equal(readReply(line).problems[0]?.detail, NO_EDIT, line)
  }
  for (const line of ['It is fine.', '<b class="x.y">', '<file path="a">', '--- x', '@@x']) {
    t.same(readReply(line).problems, [], line)
  }
})

test('a diff in a block under the name of a patch file is the text of that file', async t => {
  const diff = ['--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b']
  for (const name of ['fix.patch', 'changes/fix.diff', 'a.PATCH']) {
    t.same(read(name, '```', ...diff, '```'), [`${name} at 2`], name)
    t.same(read(name, '```diff', ...diff, '```'), [`${name} at 2`], `${name} as a diff`)
  }
  t.same(read('fix.py', '```diff', ...diff, '```'), ['diff of x at 2'])
})
