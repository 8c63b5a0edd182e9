import { test } from 'tap'
import { unifiedDiff } from '../../src/edits/write/unified-diff.ts'
import { readDiff, readDiffPage } from '../../src/web/diffs.ts'

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
    ['new.py', ['rename from old.py', 'rename to new.py']],
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

test('the pages of a long diff have each of its lines once, with its number and the name of its file', async t => {
  const linesOf = (count: number, sign: string) => Array.from({ length: count }, (_, at) => `${sign} ${at}\n`).join('')
  const before = new Map([
    ['a.py', linesOf(700, 'old')],
    ['long.txt', ''],
  ])
  const after = new Map([
    ['a.py', linesOf(700, 'new')],
    ['b.py', linesOf(900, 'b')],
    ['empty.py', ''],
    ['long.txt', `${'x'.repeat(1_000_000)}\n`],
  ])
  const diff = unifiedDiff(before, after)
  const whole = await readDiffPage(diff, 1, plain)
  t.ok(whole.pages > 4)
  const rows: string[] = []
  const paths: string[] = []
  for (let page = 1; page <= whole.pages; page++) {
    const read = await readDiffPage(diff, page, plain)
    t.match(read, { page, pages: whole.pages })
    const bytes = JSON.stringify(read.files.map(({ rows: own }) => own.map(({ text }) => text))).length
    t.ok(bytes < 150_000, `${bytes} bytes`)
    t.ok(read.files.every(({ path }) => path !== ''))
    for (const { path, rows: own } of read.files) {
      if (paths.at(-1) !== path) paths.push(path)
      rows.push(
        ...own.map(({ kind, oldLine, newLine, text }) => `${path} ${kind} ${oldLine} ${newLine} ${String(text)}`),
      )
    }
  }
  t.same(paths, ['a.py', 'b.py', 'empty.py', 'long.txt'])
  const all = await readDiff(diff.replace(/x{1000}/g, ''), plain)
  t.ok(all.isCut, 'it has more lines than are shown where there are no pages')
  t.equal(new Set(rows).size, rows.length)
  t.equal(rows.filter(row => row.startsWith('a.py removed')).length, 700)
  t.equal(rows.filter(row => row.startsWith('a.py added')).length, 700)
  t.equal(rows.filter(row => row.startsWith('b.py added')).length, 900)
  t.equal(rows.filter(row => row.startsWith('long.txt added')).length, 1)
  t.match(await readDiffPage(diff, 99, plain), { page: whole.pages }, 'after the last comes none')
  t.match(await readDiffPage('', 1, plain), { files: [], page: 1, pages: 1 })
})
