import { test } from 'tap'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { inJail } from '../helpers/sandbox.ts'

const CODE = 'Two files.\n\nmain.py\n```python\nfrom greet import hello\nprint(hello())\n```\n\ngreet.py\n```python\ndef hello():\n    return "Hello"\n```\n'
const SCRIPT = 'Here:\n```bash\npython3 main.py\n```\n'

test('standard generation: the code, the script, the question, the run', inJail, async t => {
  const { post, reply, sent } = await buildWithModel(t, [{ text: CODE }, { text: SCRIPT }])
  const asked = (await post('/generate', { prompt: 'Say hello' })).json()
  t.match(asked, { status: 'waiting', request: { kind: 'confirm_run', command: 'bash run.sh', script: 'python3 main.py\n' } })
  t.same(sent(0).map(({ role }) => role), ['system', 'user'])
  t.equal(sent(0)[1]?.content, 'Say hello')
  t.match((await reply(asked.id, { decision: 'approve' })).json(), { status: 'succeeded', result: { entrypoint: 'run.sh', run: { exit_code: 0, stdout: 'Hello\n' }, heal: null } })
})
