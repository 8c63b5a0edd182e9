import { test } from 'tap'
import type { FileDiff } from '../../../../src/edits/edit.ts'
import { readReply } from '../../../../src/edits/read/read-reply.ts'

test('a name that leads outside is refused, not left out', async t => {
  for (const name of [
    '../x.py',
    '/etc/passwd',
    '~/x.py',
    'C:\\x\\y.py',
    '\\\\server\\x.py',
    'a/../../x.py',
    '.git/config',
    '.GIT/hooks/x.sh',
    'a/.git./x.py',
    '..\\x.py',
  ]) {
    t.match(
      readReply(`${name}\n\`\`\`\nx\n\`\`\`\n`),
      { files: { length: 0 }, problems: [{ reason: 'bad_path' }] },
      name,
    )
    t.match(
      readReply(`\`\`\`diff\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n\`\`\`\n`),
      { diffs: { length: 0 }, problems: [{ reason: 'bad_path' }] },
      `diff of ${name}`,
    )
  }
})

/** The diffs of a header of git and a hunk. */
const diffsOf = (...lines: string[]): FileDiff[] => readReply(['```diff', ...lines, '```'].join('\n')).diffs

test('a diff has the paths and the kind that its header says', async t => {
  const git = 'diff --git a/x b/x'
  const hunk = ['@@ -1 +1 @@', '-a', '+b']
  t.match(diffsOf('--- a/x', '+++ b/x', ...hunk), [
    { header: '--- a/x', oldPath: 'x', newPath: 'x', kind: 'change', stripped: true, line: 1, hunks: { length: 1 } },
  ])
  t.match(diffsOf('--- x', '+++ y', ...hunk), [{ oldPath: 'x', newPath: 'y', kind: 'change', stripped: false }])
  t.match(diffsOf(git, 'new file mode 100644'), [{ oldPath: null, newPath: 'x', kind: 'create' }])
  t.match(diffsOf(git, 'deleted file mode 100644'), [{ oldPath: 'x', newPath: null, kind: 'delete' }])
  t.match(diffsOf('--- /dev/null', '+++ b/x', ...hunk), [{ oldPath: null, newPath: 'x', kind: 'create' }])
  t.match(diffsOf('--- a/x', '+++ /dev/null', ...hunk), [{ oldPath: 'x', newPath: null, kind: 'delete' }])
  t.match(diffsOf('diff --git a/x b/y', 'rename from x', 'rename to y'), [
    { oldPath: 'x', newPath: 'y', kind: 'rename' },
  ])
  t.match(diffsOf('diff --git a/x b/y', 'copy from x', 'copy to y'), [{ oldPath: 'x', newPath: 'y', kind: 'copy' }])
  const detail = (...lines: string[]): string | undefined =>
    readReply(['```diff', ...lines, '```'].join('\n')).problems[0]?.detail
  t.match(detail('--- /dev/null', '+++ /dev/null', ...hunk), /Both names/)
  t.match(detail(git, 'old mode 100644', 'new mode 100755'), /mode of the file/)
  t.match(detail(git, 'index 1..2'), /no hunk/)
})
