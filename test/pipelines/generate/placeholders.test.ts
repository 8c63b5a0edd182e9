import { test } from 'tap'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { block } from '../../helpers/part-cases.ts'

const SETTINGS = 'HOST = "db"\nPASSWORD = "hunter2Kx9"\nPORT = 1\n'
const SENT = SETTINGS.replace('hunter2Kx9', '[redacted:password]').replace('PORT = 1', 'PORT = 8')
const SCRIPT = { text: '```sh\nset -e\npython3 settings.py\n```\n' }
const HIDDEN = { text: '```sh\nexport PASSWORD=[redacted:password]\npython3 settings.py\n```\n' }
const BODY = { prompt: 'Use port 8', files: { 'settings.py': SETTINGS }, execute: 'never' }

test('a file that is sent along and written anew keeps its secrets, and no script gets a placeholder', async t => {
  const { app, post, sent } = await buildWithModel(t, [{ text: block('settings.py', SENT) }, HIDDEN, SCRIPT])
  const job = (await post('/generate', BODY)).json()
  t.equal(job.status, 'succeeded', JSON.stringify(job.error))
  t.equal((await app.inject(`/jobs/${job.id}/files/settings.py`)).body, SETTINGS.replace('PORT = 1', 'PORT = 8'))
  t.equal((await app.inject(`/jobs/${job.id}/files/run.sh`)).body, 'set -e\npython3 settings.py\n')
  t.match(sent(2).at(-1)?.content, /holds a placeholder for a secret[^]*export PASSWORD=\[redacted:password\]/)
})

test('a script that holds a placeholder twice, and a new file that does, fail the job', async t => {
  const { post } = await buildWithModel(t, [{ text: block('settings.py', SENT) }, HIDDEN, HIDDEN])
  t.match((await post('/generate', BODY)).json(), {
    status: 'failed',
    error: { code: 'NO_FILES_IN_REPLY', message: /The line .*export PASSWORD=.* holds a placeholder/ },
  })
  const other = { text: block('other.py', SENT) }
  const { post: ask } = await buildWithModel(t, [other, other])
  t.match((await ask('/generate', BODY)).json(), { status: 'failed', error: { message: /holds a placeholder/ } })
})
