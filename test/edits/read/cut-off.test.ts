import { test } from 'tap'
import type { FileDiff } from '../../../src/edits/edit.ts'
import { hunkOf } from '../../helpers/hunks.ts'
import { withoutCutHunk } from '../../../src/edits/read/cut-off.ts'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'

const F = '```'
const APP = Array.from({ length: 40 }, (_, i) => (i % 7 === 3 ? '' : `    line ${i}`)).join('\n') + '\n'
const AFTER = APP.replace('    line 5\n', '    LINE 5\n')
  .replace('    line 9\n', '    LINE 9\n    more\n')
  .replace('    line 39\n', '')
const OTHER = '# T\n\nText.\n'
const DIFF = `diff --git a/src/app.py b/src/app.py
index 1234567..89abcde 100644
--- a/src/app.py
+++ b/src/app.py
@@ -3,10 +3,11 @@
     line 2
${' '}
     line 4
-    line 5
+    LINE 5
     line 6
     line 7
     line 8
-    line 9
+    LINE 9
+    more
${' '}
     line 11
@@ -37,4 +38,3 @@
     line 36
     line 37
${' '}
-    line 39
--- a/README.md
+++ b/README.md
@@ -1,3 +1,4 @@
 # T
${' '}
-Text.
+Better.
+Text.
`
const README = `# T\n\nRun:\n\n${F}bash\nmake\n${F}\n\nThen:\n\n${F}\nls\n${F}\n\nEnd.\n`
const FILES: Record<string, string> = { 'src/app.py': APP, 'README.md': OTHER }

/** Replies that are whole, and what each file is after them. */
const REPLIES: Array<[name: string, reply: string, after: Record<string, string>]> = [
  [
    'a diff in a fence',
    `The fix:\n\n${F}diff\n${DIFF}${F}\n\nThat is all.\n`,
    { 'src/app.py': AFTER, 'README.md': '# T\n\nBetter.\nText.\n' },
  ],
  ['a diff without a fence', DIFF, { 'src/app.py': AFTER, 'README.md': '# T\n\nBetter.\nText.\n' }],
  [
    'files',
    `I will write two files.\n\nsrc/main.py\n${F}python\nimport os\n\n\ndef main():\n    pass\n` +
      `${F}\n\n**requirements.txt**\n${F}\nflask==2.0.0\nredis\n${F}\n\nDone.\n`,
    { ...FILES, 'src/main.py': 'import os\n\n\ndef main():\n    pass\n', 'requirements.txt': 'flask==2.0.0\nredis\n' },
  ],
  [
    'a Markdown file that holds tagged fences',
    `docs/x.md\n${F}markdown\n# T\n\n${F}bash\nmake\n${F}\n\nEnd.\n${F}\n`,
    { ...FILES, 'docs/x.md': `# T\n\n${F}bash\nmake\n${F}\n\nEnd.\n` },
  ],
  [
    'a Markdown file in a longer fence',
    `docs/x.md\n${F}${F}markdown\n${README}${F}${F}\n`,
    { ...FILES, 'docs/x.md': README },
  ],
  [
    'a thought, then a file',
    `<think>\nsrc/main.py\n${F}python\nx = 0\n${F}\n</think>\n\nsrc/main.py\n${F}python\nx = 1\n${F}\n`,
    { ...FILES, 'src/main.py': 'x = 1\n' },
  ],
  [
    'an envelope',
    '*** Begin Patch\n*** Update File: src/app.py\n@@\n     line 4\n-    line 5\n+    LINE 5\n' +
      '     line 6\n@@\n     line 8\n-    line 9\n+    LINE 9\n+    more\n*** End Patch\n',
    {
      'src/app.py': APP.replace('    line 5\n', '    LINE 5\n').replace('    line 9\n', '    LINE 9\n    more\n'),
      'README.md': OTHER,
    },
  ],
]

/** A cut between two hunks leaves the first one whole: nothing tells it from a reply of one hunk. */
function isWithSomeHunks(path: string, text: string): boolean {
  return path === 'src/app.py' && text === `${AFTER}    line 39\n`
}

test('a reply that is cut off after any of its lines leaves each file as it was, or as the whole reply makes it, or says so', async t => {
  for (const [name, reply, after] of REPLIES) {
    const lines = reply.split('\n')
    for (let kept = 0; kept <= lines.length; kept++) {
      for (const end of ['', '\n']) {
        const { changed, deleted, rejected } = applyEdits(
          new Map(Object.entries(FILES)),
          readReply(lines.slice(0, kept).join('\n') + end),
        )
        if (rejected.length > 0 && kept < lines.length - 1) continue
        t.same(deleted, [], name)
        const wrong = [...changed].filter(([path, text]) => text !== after[path] && !isWithSomeHunks(path, text))
        t.same(wrong, [], `${name}, cut after ${kept} lines`)
        if (kept === lines.length) t.same(Object.fromEntries([...Object.entries(FILES), ...changed]), after, name)
      }
    }
  }
})

test('the last hunk of a reply is cut off when its counts ask for more, and for fewer on neither side', async t => {
  const diff = (...hunks: Array<ReturnType<typeof hunkOf>>): FileDiff => ({
    header: '',
    oldPath: 'o.py',
    newPath: 'n.py',
    stripped: false,
    kind: 'change',
    hunks,
    line: 0,
  })
  const whole = hunkOf([' a', '+b'], [1, 2])
  for (const counts of [[1, 2], [0, 3], [2, 1], [0, 1], null] as const) {
    const hunk = hunkOf([' a', '+b'], counts)
    const edits = { diffs: [diff(hunk)], problems: [] }
    t.same(withoutCutHunk(edits), edits, JSON.stringify(counts))
  }
  const cut = hunkOf([' a', '+b'], [2, 2])
  t.match(withoutCutHunk({ diffs: [diff(cut)], problems: [] }), {
    diffs: { length: 0 },
    problems: [{ reason: 'truncated', path: 'n.py', hunkText: cut.text }],
  })
  const first = diff(whole)
  t.same(withoutCutHunk({ diffs: [first, diff(whole, cut)], problems: [] }).diffs, [first, diff(whole)])
  t.same(withoutCutHunk({ diffs: [diff(cut), first], problems: [] }).problems, [], 'only the last one')
  t.same(withoutCutHunk({ diffs: [], problems: [] }), { diffs: [], problems: [] })
})

test('of a reply that the server cut off, nothing that reaches its end is used', async t => {
  const file = `a.py\n${F}\nx = 1\n${F}\n`
  const cases: Array<[reply: string, files: string[], problems: number]> = [
    [file, [], 1],
    [`${file}\n\n`, [], 1],
    [`${file}\nAnd`, ['a.py'], 0],
    [`${file}b.py\n${F}\ny`, ['a.py'], 1],
    [`${file}b.py\n${F}\ny = 1\n${F}`, ['a.py'], 1],
    [`${file}R.md\n${F}markdown\n# R\n\n${F}\nls\n${F}\nmore te`, ['a.py'], 2],
    [`${file}R.md\n${F}markdown\n# R\n\n${F}\n\nb.py\n${F}py\ny`, ['a.py', 'R.md'], 1],
  ]
  for (const [reply, files, problems] of cases) {
    const read = readReply(reply, { isCut: true })
    t.same(
      read.files.map(({ path }) => path),
      files,
      JSON.stringify(reply),
    )
    t.same(
      read.problems.map(({ reason }) => reason),
      Array.from({ length: problems }, () => 'truncated'),
    )
  }
  const bare = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n'
  const pathsOf = (reply: string): Array<string | null> =>
    readReply(reply, { isCut: true }).diffs.map(({ newPath }) => newPath)
  t.same(pathsOf(bare), ['x'], 'the last diff without a fence')
  t.same(pathsOf(`${bare}\nThat`), ['x', 'y'])
  t.same(pathsOf(`${F}diff\n${bare}${F}\n`), [], 'all of a block at the end')
})
