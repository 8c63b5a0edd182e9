import { test } from 'tap'
import { APP, app, checkReplies, fenced, of, SAVED } from '../../helpers/reply-cases.ts'

test('an envelope is applied like a diff', async t => {
  checkReplies(t, [
    [
      'an envelope',
      '*** Begin Patch\n*** Update File: src/app.py\n@@ def save(path, text):\n' +
        '-    with open(path, "w") as f:\n+    with open(path, "a") as f:\n*** Add File: n.py\n+x\n' +
        '*** Delete File: f.txt\n*** End Patch\n',
      { ...app(SAVED), 'n.py': 'x\n', 'f.txt': null },
      { 'src/app.py': APP, 'f.txt': 'x\n' },
    ],
    [
      'an envelope that moves',
      '*** Begin Patch\n*** Update File: f.txt\n*** Move to: g.txt\n@@\n-x\n+y\n*** End Patch\n',
      { 'f.txt': null, 'g.txt': 'y\n' },
      of('x\n'),
    ],
    ['an envelope that is cut off', '*** Begin Patch\n*** Update File: f.txt\n@@\n-x\n+y\n', ['truncated'], of('x\n')],
    [
      'an envelope in a shell command',
      fenced("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f.txt\n@@\n-x\n+y\n*** End Patch\nEOF", 'bash'),
      of('y\n'),
      of('x\n'),
    ],
    [
      'an envelope in a fence',
      fenced('*** Begin Patch\n*** Update File: f.txt\n-x\n+y\n*** End Patch', ''),
      of('y\n'),
      of('x\n'),
    ],
    ['an envelope that leads outside', '*** Begin Patch\n*** Add File: ../x\n+x\n*** End Patch\n', ['bad_path']],
  ])
})
