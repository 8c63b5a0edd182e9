import { test } from 'tap'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { block } from '../../helpers/part-cases.ts'

const LOAD = 'def load(path):\n    return open(path).read()\n'
const SAVE = 'def save(path, text):\n    open(path, "w").write(text)\n'
const STORE = `LIMIT = 10\n\n\n${LOAD}\n\n${SAVE}`
const NEW_SAVE = SAVE.replace('"w"', '"a"')
const PACKAGE = '{\n  "name": "shop",\n  "scripts": {\n    "test": "tap"\n  }\n}\n'
const SCRIPTS = '{\n  "scripts": {\n    "test": "tap --jobs=1"\n  }\n}\n'
const DIFF =
  '```diff\n--- a/package.json\n+++ b/package.json\n@@ -3,3 +3,3 @@\n   "scripts": {\n-    "test": "tap"\n' +
  '+    "test": "tap --jobs=1"\n   }\n```\n'
const FILES = { 'store.py': STORE, 'package.json': PACKAGE }
const REQUEST = { files: FILES, review: 'auto' }

test('a function under the name of its file is placed in it, and a part of package.json is asked for again', async t => {
  const { app, post, sent, model } = await buildWithModel(t, [
    { text: `${block('store.py', NEW_SAVE)}\n${block('package.json', SCRIPTS)}` },
    { text: DIFF },
  ])
  const job = (await post('/improve', { ...REQUEST, prompt: 'Append in save()' })).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 1, rejected_hunks: [] } })
  t.equal((await app.inject(`/jobs/${job.id}/files/store.py`)).body, STORE.replace(SAVE, NEW_SAVE))
  t.equal((await app.inject(`/jobs/${job.id}/files/package.json`)).body, PACKAGE.replace('tap', 'tap --jobs=1'))
  t.match(sent(1).at(-1)?.content, /package\.json: malformed\. This block lacks name of package\.json/)
  t.notMatch(sent(1).at(-1)?.content, /store\.py: /)
  t.equal(model.requests.length, 2)
})

test('a part that stays one is a rejected edit with its reason, and the file is as it was', async t => {
  const { app, post } = await buildWithModel(t, [
    { text: `${block('store.py', NEW_SAVE)}\n${block('package.json', SCRIPTS)}` },
    { text: block('package.json', SCRIPTS) },
  ])
  const body = { ...REQUEST, prompt: 'Append in save()', max_refinements: 1, allow_partial: true }
  const job = (await post('/improve', body)).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      complete: false,
      files: [{ path: 'store.py' }],
      rejected_hunks: [
        { path: 'package.json', hunk: null, reason: 'malformed', detail: /lacks name of package\.json/ },
      ],
    },
  })
  t.equal((await app.inject(`/jobs/${job.id}/files/package.json`)).body, PACKAGE)
})

test('what the prompt asks to remove is gone', async t => {
  const { app, post, model } = await buildWithModel(t, [{ text: block('store.py', `LIMIT = 10\n\n\n${LOAD}`) }])
  const job = (await post('/improve', { ...REQUEST, prompt: 'Remove the function save.' })).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 0 } })
  t.equal((await app.inject(`/jobs/${job.id}/files/store.py`)).body, `LIMIT = 10\n\n\n${LOAD}`)
  t.equal(model.requests.length, 1)
})

const APP = 'const app = build()\n\nfunction build() {\n  return serve()\n}\n\napp.listen(3000)\nexport { app }\n'
const QUIET = APP.replace('app.listen(3000)\n', '').replace('serve()', 'serve({ quiet: true })')
const LISTEN = { files: { 'app.js': APP }, review: 'auto', prompt: 'Make the server quiet' }

test('a statement that a block drops is asked about, and is gone where the model says so', async t => {
  const { app, post, sent, model } = await buildWithModel(t, [
    { text: block('app.js', QUIET) },
    { text: `REMOVED app.js: app.listen(3000)\n\n${block('app.js', QUIET)}` },
  ])
  const job = (await post('/improve', LISTEN)).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 1, rejected_hunks: [] } })
  t.equal((await app.inject(`/jobs/${job.id}/files/app.js`)).body, QUIET)
  t.match(sent(1).at(-1)?.content, 'nothing in their place: "app.listen(3000)"')
  t.match(sent(1).at(-1)?.content, 'REMOVED app.js: app.listen(3000)')
  t.equal(model.requests.length, 2)
})

test('a statement that a block drops again without a word is a rejected edit, and the file is as it was', async t => {
  const { app, post } = await buildWithModel(t, [
    { text: `${block('notes.txt', 'quiet')}\n${block('app.js', QUIET)}` },
    { text: block('app.js', QUIET) },
  ])
  const body = { ...LISTEN, max_refinements: 1, allow_partial: true }
  const job = (await post('/improve', body)).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      complete: false,
      rejected_hunks: [{ path: 'app.js', hunk: null, reason: 'malformed', detail: /app\.listen\(3000\)/ }],
    },
  })
  t.equal((await app.inject(`/jobs/${job.id}/files/app.js`)).body, APP)
})
