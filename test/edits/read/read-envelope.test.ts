import { test } from 'tap'
import { readEnvelope } from '../../../src/edits/read/read-envelope.ts'
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

test('each section of an envelope is a diff of one file', async t => {
  const lines = [
    '*** Begin Patch',
    'words',
    '*** Update File: a.py',
    '*** Move to: b.py',
    '@@ def x():',
    '-a',
    '+b',
    '*** End of File',
    '*** Add File: c.py',
    '+c',
    '*** Delete File: d.py',
    '*** Update File: e.py',
    ' x',
    '*** Update File: ../f.py',
    '*** Update File: g.py',
    '*** Move to: ../g.py',
    '*** End Patch',
    'words',
  ]
  const read = readEnvelope({ lines, hasCr: () => false, end: lines.length, within: 'fence' }, 0)
  t.equal(read.next, 17)
  t.same(
    read.diffs.map(({ kind, oldPath, newPath, hunks, line, stripped }) => ({
      file: [kind, oldPath, newPath, line, stripped],
      lines: hunks.flatMap(hunk => hunk.lines.map(({ raw }) => raw)),
    })),
    [
      { file: ['rename', 'a.py', 'b.py', 2, false], lines: ['-a', '+b'] },
      { file: ['create', null, 'c.py', 8, false], lines: ['+c'] },
      { file: ['delete', 'd.py', null, 10, false], lines: [] },
      { file: ['change', 'e.py', 'e.py', 11, false], lines: [' x'] },
    ],
  )
  t.match(read.problems, [{ detail: /^"\.\.\/f\.py"/ }, { detail: /^"\.\.\/g\.py"/, hunkText: /Update File: g/ }])
})
