import { test } from 'tap'
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
    ['a file between tags', '<file path="a.py">\nx = 1\n</file>\n', ['malformed']],
    [
      'a file in a fence between tags',
      `<file path="a.py">\n${fenced('x = 1', 'python')}</file>\n`,
      { 'a.py': 'x = 1\n' },
    ],
    ['a here-document', fenced("cat > a.py <<'EOF'\nx = 1\nEOF", 'bash'), ['malformed']],
    ['files as JSON', fenced('{"files": [{"path": "a.py", "content": "x"}]}', 'json'), ['malformed']],
  ])
})
