import { test } from 'tap'
import { buildWithModel } from '../helpers/build-with-model.ts'

const FILES = { 'a.py': 'def hello():\n    print("old")\n\nhello()\n', 'b/c.py': 'X = 1\n' }

test('only the hunks that do not fit are asked for again; the changes are shown to a person', async t => {
  const { post, reply, sent } = await buildWithModel(t, [
    { text: '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def hello():\n-    print("old")\n+    print("new")\n--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +1 @@\n-X = 2\n+X = 3\n```\n' },
    { text: '```diff\n--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +1 @@\n-X = 1\n+X = 3\n```\n' },
  ])
  const asked = (await post('/improve', { prompt: 'New', files: FILES })).json()
  t.match(asked, { status: 'waiting', request: { kind: 'review_changes', diff: /\+X = 3/, rejected_hunks: [] } })
  t.same(sent(1).map(({ role }) => role), ['system', 'user', 'user', 'assistant', 'user'])
  t.notMatch(sent(1)[4]?.content, /a\.py/)
  t.match((await reply(asked.id, { decision: 'approve' })).json(), { status: 'succeeded', result: { complete: true, refinements: 1, files: [{ path: 'a.py' }, { path: 'b/c.py' }], base_commit: null } })
})
