import { test } from 'tap'
import { readDiffHeader, type DiffHeader } from '../../../../src/edits/read/diff/diff-header.ts'
import type { DiffText } from '../../../../src/edits/read/diff/diff-text.ts'
import { app, checkReplies, fenced, HUNK, NAMES, SAVED } from '../../../helpers/reply-cases.ts'

test('links, modes and binary patches are refused', async t => {
  checkReplies(t, [
    [
      'a git header',
      fenced(`diff --git a/src/app.py b/src/app.py\nindex 123abc..456def 100644\n${NAMES}${HUNK}`),
      app(SAVED),
    ],
    [
      'a binary patch',
      fenced('diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n'),
      ['malformed'],
    ],
    [
      'a link',
      fenced('diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n'),
      ['malformed'],
    ],
    ['a mode only', fenced('diff --git a/src/app.py b/src/app.py\nold mode 100644\nnew mode 100755\n'), ['malformed']],
  ])
})

function headerOf(...lines: string[]): DiffHeader {
  const text: DiffText = { lines, hasCr: () => false, end: lines.length, within: 'fence' }
  return readDiffHeader(text, 0)
}

test('a header gives the names of both sides, of one side, or of git alone', async t => {
  t.match(headerOf('--- a/x', '+++ b/y', '@@'), { old: 'a/x', new: 'b/y', git: null, next: 2 })
  t.match(headerOf('+++ b/y', '@@'), { old: 'b/y', new: 'b/y', next: 1 })
  t.match(headerOf('+++ /dev/null', '@@'), { new: null, next: 1 })
  t.equal(headerOf('+++ /dev/null', '@@').old, undefined)
  t.match(headerOf('--- /dev/null', '@@'), { old: null, next: 1 })
  t.match(headerOf('diff --git a/x b/y', 'index 1..2 100644', 'x'), { git: { old: 'a/x', new: 'b/y' }, next: 2 })
})

test("git's lines say what happens to a file", async t => {
  const git = 'diff --git a/x b/y'
  t.match(headerOf(git, 'new file mode 100644'), { created: true, removed: false, modes: false, next: 2 })
  t.match(headerOf(git, 'deleted file mode 100644'), { created: false, removed: true })
  t.match(headerOf(git, 'old mode 100644', 'new mode 100755'), { modes: true, next: 3 })
  t.match(headerOf(git, 'rename from "o"', 'rename to n'), { moved: 'rename', git: { old: 'a/o', new: 'b/n' } })
  t.match(headerOf(git, 'copy from o', 'copy to n'), { moved: 'copy', git: { old: 'a/o', new: 'b/n' } })
  t.match(headerOf(git, 'new file mode 120000'), { refused: /links/ })
  t.match(headerOf(git, 'new file mode 160000'), { refused: /submodules/ })
  t.match(headerOf(git, 'GIT binary patch', 'x', git), { refused: /Binary/, next: 3 })
  t.equal(headerOf(git, 'new file mode 100644').refused, null)
})
