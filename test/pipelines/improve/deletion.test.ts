import { test } from 'tap'
import { buildWithModel } from '../../helpers/build-with-model.ts'

const FILES = { 'app.py': 'import new\n\nLIMIT = 1\n', 'old.py': 'X = 1\n' }
const CHANGE = '```diff\n--- a/app.py\n+++ b/app.py\n@@ -3 +3 @@\n-LIMIT = 1\n+LIMIT = 2\n```\n'
const DELETION = '```diff\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-X = 1\n```\n'
const REQUEST = { files: FILES, select: ['app.py'], prompt: 'Raise the limit', review: 'auto' }

test('a file that a reply says to delete is asked about, though it was not shown', async t => {
  const { post, sent } = await buildWithModel(t, [
    { text: `${CHANGE}\nFiles to delete:\n\n- \`old.py\`\n` },
    { text: DELETION },
  ])
  const job = (await post('/improve', REQUEST)).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 1, deleted: ['old.py'] } })
  t.match(sent(1).at(-1)?.content, /old\.py is to be deleted .* write KEPT old\.py on a line of its own/)
})

test('a file that seemed to be said to go stays where the model says so', async t => {
  const { app, post, model } = await buildWithModel(t, [
    { text: `${CHANGE}\n\`\`\`bash\nrm old.py\n\`\`\`\n` },
    { text: 'KEPT old.py\n' },
  ])
  const job = (await post('/improve', REQUEST)).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 1, rejected_hunks: [] } })
  t.equal((await app.inject(`/jobs/${job.id}/files/app.py`)).body, FILES['app.py'].replace('1', '2'))
  t.equal(model.requests.length, 2)
})
