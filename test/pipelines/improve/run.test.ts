import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import { buildWithModel } from '../../helpers/build-with-model.ts'

const FILES = { 'a.py': 'def hello():\n    print("old")\n\nhello()\n', 'b/c.py': 'X = 1\n' }

test('only the hunks that do not fit are asked for again; the changes are shown to a person', async t => {
  const { post, reply, sent } = await buildWithModel(t, [
    {
      text:
        '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def hello():\n-    print("old")\n' +
        '+    print("new")\n--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +1 @@\n-X = 2\n+X = 3\n```\n',
    },
    { text: '```diff\n--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +1 @@\n-X = 1\n+X = 3\n```\n' },
  ])
  const asked = (await post('/improve', { prompt: 'New', files: FILES })).json()
  t.match(asked, { status: 'waiting', request: { kind: 'review_changes', diff: /\+X = 3/, rejected_hunks: [] } })
  t.same(
    sent(1).map(({ role }) => role),
    ['system', 'user', 'user', 'assistant', 'user'],
  )
  t.notMatch(sent(1)[4]?.content, /a\.py/)
  t.match((await reply(asked.id, { decision: 'approve' })).json(), {
    status: 'succeeded',
    result: { complete: true, refinements: 1, files: [{ path: 'a.py' }, { path: 'b/c.py' }], base_commit: null },
  })
})

/** Applies a diff to files with git itself, and gives back what they hold then. */
function applied(dir: string, files: Record<string, string>, diff: string): (path: string) => string {
  execFileSync('git', ['init', '-q', dir])
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
  for (const flags of [['--check'], []]) {
    execFileSync('git', ['-C', dir, '-c', 'core.autocrlf=false', 'apply', '--whitespace=nowarn', ...flags], {
      input: diff,
    })
  }
  return path => readFileSync(join(dir, path), 'utf8')
}

const ODD = {
  'crlf.py': 'import os\r\n\r\nprint(1)\r\n',
  'bom.cs': '\uFEFFusing System;\r\nclass A {}\r\n',
  'open end.txt': 'one\ntwo',
  'empty.txt': '',
  'ä/ö.md': '# Ü\n\n```\nx\n```\n',
  'src/old.py': 'OLD = 1\n',
  'left alone.bin': '\r\uFEFF\t\u0001 \r\n\r',
}
const CHANGE = `\`\`\`diff
--- a/crlf.py
+++ b/crlf.py
@@ -1,3 +1,3 @@
 import os
 
-print(1)
+print(2)
--- a/bom.cs
+++ b/bom.cs
@@ -1,2 +1,2 @@
-using System;
+using System.IO;
 class A {}
--- a/open end.txt
+++ b/open end.txt
@@ -1,2 +1,2 @@
-one
+eins
 two
--- a/empty.txt
+++ b/empty.txt
@@ -0,0 +1 @@
+no longer
--- a/ä/ö.md
+++ b/ä/ö.md
@@ -1,2 +1,2 @@
-# Ü
+# Überschrift
 
--- a/src/old.py
+++ /dev/null
@@ -1 +0,0 @@
-OLD = 1
--- /dev/null
+++ b/src/new.py
@@ -0,0 +1 @@
+NEW = 1
\`\`\`
`

test(
  'git applies the diff to the files that were sent, whatever their line ends and names, and what was not ' +
    'changed comes out byte for byte',
  async t => {
    const { app, post } = await buildWithModel(t, [{ text: CHANGE }])
    const job = (await post('/improve', { prompt: 'New', files: ODD, review: 'auto' })).json()
    t.match(job, { status: 'succeeded', result: { complete: true, deleted: ['src/old.py'] } })
    const after = applied(t.testdir(), ODD, job.result.diff)
    const changed = new Set(job.result.files.map(({ path }: { path: string }) => path))
    t.same([...changed].sort(), ['bom.cs', 'crlf.py', 'empty.txt', 'open end.txt', 'src/new.py', 'ä/ö.md'].sort())
    const kept = (await app.inject(`/jobs/${job.id}/files`))
      .json()
      .data.map(({ path }: { path: string }) => path) as string[]
    t.same(kept.sort(), [...Object.keys(ODD).filter(path => path !== 'src/old.py'), 'src/new.py'].sort())
    for (const path of kept) {
      t.equal(
        (
          await app.inject(`/jobs/${job.id}/files/${path.split('/').map(encodeURIComponent).join('/')}`)
        ).rawPayload.toString(),
        after(path),
        path,
      )
    }
    t.equal(after('crlf.py'), 'import os\r\n\r\nprint(2)\r\n')
    t.equal(after('bom.cs'), '\uFEFFusing System.IO;\r\nclass A {}\r\n')
    t.equal(after('open end.txt'), 'eins\ntwo')
  },
)

test(
  'a reply cannot put a file where a folder is, shown or not, nor write outside of the program; the job ' + 'goes on',
  async t => {
    const files = { 'a.py': '1\n', 'lib/b.py': '1\n', data: '1\n' }
    const hostile =
      '```diff\n--- /dev/null\n+++ b/lib\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/data/c.py\n@@ -0,0 +1 @@\n' +
      '+x\n--- /dev/null\n+++ b/../../up.py\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/.git/hooks/post-commit\n' +
      '@@ -0,0 +1 @@\n+x\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+2\n```\n'
    const { post, sent } = await buildWithModel(t, [{ text: hostile }, { text: 'Never mind.' }])
    const job = (
      await post('/improve', {
        prompt: 'x',
        files,
        select: ['a.py'],
        review: 'auto',
        allow_partial: true,
        max_refinements: 1,
      })
    ).json()
    t.match(job, { status: 'succeeded', result: { complete: false, files: [{ path: 'a.py' }], deleted: [] } })
    t.equal(job.result.files.length, 1)
    t.same(new Set(job.result.rejected_hunks.map(({ reason }: { reason: string }) => reason)), new Set(['bad_path']))
    t.equal(job.result.rejected_hunks.length, 4)
    t.notMatch(sent(0)[1]?.content, /lib\/b/)
  },
)

test('a prompt with marks of slots, and files with them, reach the model as they are', async t => {
  const { post, sent } = await buildWithModel(t, [
    { text: '--- a/a.html\n+++ b/a.html\n@@ -1 +1 @@\n-{{file_format}}\n+{{tag}}\n' },
  ])
  t.match(
    (
      await post('/improve', {
        prompt: 'Replace {{x}} and {{problems}}',
        files: { 'a.html': '{{file_format}}\n' },
        review: 'auto',
      })
    ).json(),
    { status: 'succeeded' },
  )
  t.match(sent(0)[1]?.content, /```\n\{\{file_format\}\}\n```/)
  t.equal(sent(0)[2]?.content, 'Replace {{x}} and {{problems}}')
})

test(
  'a budget that is used up makes an improvement wait before it asks again; who lets it be ends it, and ' +
    'what fitted stays',
  async t => {
    const half = {
      text:
        '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def hello():\n-    print("old")\n+    print("new")\n' +
        '--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +1 @@\n-X = 2\n+X = 3\n```\n',
    }
    const rest = { text: '```diff\n--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +1 @@\n-X = 1\n+X = 3\n```\n' }
    const { app, post, reply, model } = await buildWithModel(t, [half, rest, half])
    const body = { prompt: 'New', files: FILES, review: 'auto', budget: { tokens: 10 } }
    const first = (await post('/improve', body)).json()
    t.match(first, { status: 'waiting', request: { kind: 'budget' }, usage: { llm_calls: 1 } })
    t.match((await reply(first.id, { budget: { tokens: 1_000_000 } })).json(), {
      status: 'succeeded',
      result: { complete: true, refinements: 1, files: [{ path: 'a.py' }, { path: 'b/c.py' }] },
    })
    const second = (await post('/improve', body)).json()
    t.match((await reply(second.id, { skip: true })).json(), { status: 'failed', error: { code: 'BUDGET_EXHAUSTED' } })
    t.match((await app.inject(`/jobs/${second.id}/files/a.py`)).body, /new/)
    t.equal(model.requests.length, 3)
  },
)
