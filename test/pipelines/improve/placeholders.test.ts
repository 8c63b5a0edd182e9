import { test } from 'tap'
import { redact } from '../../../src/llm/redaction/redact.ts'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { block } from '../../helpers/part-cases.ts'

const SETTINGS = 'HOST = "db"\nPASSWORD = "hunter2Kx9"\nPORT = 1\n'
const { text: SHOWN } = redact(SETTINGS)
const REQUEST = { files: { 'settings.py': SETTINGS }, review: 'auto', prompt: 'Use port 8' }

test('a file that comes back as the model was shown it keeps its secrets', async t => {
  const { app, post, sent, model } = await buildWithModel(t, [
    { text: block('settings.py', SHOWN.replace('PORT = 1', 'PORT = 8')) },
  ])
  const job = (await post('/improve', REQUEST)).json()
  t.ok(sent(0).some(({ content }) => content.includes(SHOWN)))
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 0, rejected_hunks: [] } })
  t.equal((await app.inject(`/jobs/${job.id}/files/settings.py`)).body, SETTINGS.replace('PORT = 1', 'PORT = 8'))
  t.equal(model.requests.length, 1)
})

test('a placeholder that stands for no line of the file is asked about again, and never written', async t => {
  const lost = { text: block('settings.py', SHOWN.replace('PASSWORD =', 'DB_PASSWORD =').replace('= 1', '= 8')) }
  const { app, post, sent } = await buildWithModel(t, [lost, lost])
  const job = (
    await post('/improve', { ...REQUEST, prompt: 'Rename PASSWORD to DB_PASSWORD', max_refinements: 1 })
  ).json()
  t.match(job, { status: 'failed', error: { code: 'EDITS_REJECTED', message: /DB_PASSWORD = .*holds a placeholder/ } })
  t.match(sent(1).at(-1)?.content, /DB_PASSWORD = .*holds a placeholder for a secret/)
  t.notMatch((await app.inject(`/jobs/${job.id}/files/settings.py`)).body, 'DB_PASSWORD')
})
