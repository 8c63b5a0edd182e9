import { test } from 'tap'
import { unifiedDiff } from '../../src/edits/write/unified-diff.ts'
import { readDiff } from '../../src/web/diffs.ts'

const plain = { highlight: async (blocks: readonly unknown[]) => blocks.map(() => null) }

/** Each file of a diff with its lines as a page has them. */
async function shown(diff: string): Promise<Array<[string, string[]]>> {
  const { files } = await readDiff(diff, plain)
  return files.map(({ path, rows }) => [path, rows.map(({ text }) => String(text))])
}

test('a file whose lines do not change is shown beside those whose lines do', async t => {
  const before = new Map([
    ['gone.txt', ''],
    ['pkg/a.py', 'x = 1\n'],
  ])
  const after = new Map([
    ['gone.txt', null],
    ['pkg/__init__.py', ''],
    ['pkg/a.py', 'x = 2\n'],
  ])
  t.same(await shown(unifiedDiff(before, after)), [
    ['gone.txt', ['deleted file mode 100644']],
    ['pkg/__init__.py', ['new file mode 100644']],
    ['pkg/a.py', ['@@ -1 +1 @@', 'x = 1', 'x = 2']],
  ])
})

test('what git says of names, modes and bytes is shown', async t => {
  const diff = [
    'diff --git a/old.py b/new.py',
    'similarity index 100%',
    'rename from old.py',
    'rename to new.py',
    'diff --git a/run me.sh b/run me.sh',
    'old mode 100644',
    'new mode 100755',
    'diff --git a/logo.png b/logo.png',
    'index 123..456 100644',
    'Binary files a/logo.png and b/logo.png differ',
    'diff --git "a/\\303\\274.txt" "b/\\303\\274.txt"',
    'new file mode 100644',
    'diff --git a/b.txt b/b.txt',
    '--- a/b.txt',
    '+++ b/b.txt',
    '@@ -1 +1 @@',
    '--- a',
    '\\ No newline at end of file',
    '+++ b',
    '\\ No newline at end of file',
    '',
  ].join('\n')
  t.same(await shown(diff), [
    ['a/old.py b/new.py', ['rename from old.py', 'rename to new.py']],
    ['run me.sh', ['old mode 100644', 'new mode 100755']],
    ['logo.png', ['Binary files a/logo.png and b/logo.png differ']],
    ['ü.txt', ['new file mode 100644']],
    ['b.txt', ['@@ -1 +1 @@', '-- a', '\\ No newline at end of file', '++ b', '\\ No newline at end of file']],
  ])
})

test('names are shown as they are, whatever git writes around them', async t => {
  const { files } = await readDiff(unifiedDiff(new Map(), new Map([['größe "x".py', 'x = 1\n']])), plain)
  t.same(
    files.map(({ path }) => path),
    ['größe "x".py'],
  )
  const bare =
    '--- a/one.py\n+++ b/one.py\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/two.py\t2026-01-01\n@@ -0,0 +1 @@\n+y\n'
  t.same(await shown(bare), [
    ['one.py', ['@@ -1 +1 @@', 'x', 'y']],
    ['two.py', ['@@ -0,0 +1 @@', 'y']],
  ])
})
