import { test } from 'tap'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { block } from '../../helpers/part-cases.ts'
import { inJail } from '../../helpers/sandbox.ts'

const MEAN = 'def mean(values):\n    total = sum(values)\n    return total / len(values)\n'
const SHOW = 'def show(value):\n    text = str(value)\n    print("mean:", text)\n'
const FILES = {
  'run.sh': 'python3 main.py\n',
  'main.py': 'from report import mean, show\n\nshow(mean([]))\n',
  'report.py': `${MEAN}\n\n${SHOW}`,
}
const MENDED = MEAN.replace('total / len(values)', 'total / len(values) if values else 0')

test('a function that mends a program is placed in its file, and the others stay', inJail, async t => {
  const reply = block('report.py', `${MENDED}\n\n# keep the remaining functions exactly as they are\n`)
  const { app, post, model } = await buildWithModel(t, [{ text: reply }])
  const job = (await post('/self-heal', { prompt: 'Removes nothing and prints the mean', files: FILES })).json()
  t.match(job, { status: 'succeeded', result: { healed: true, attempts: [{ exit_code: 1 }, { stdout: 'mean: 0\n' }] } })
  t.equal((await app.inject(`/jobs/${job.id}/files/report.py`)).body, `${MENDED}\n\n${SHOW}`)
  t.equal(model.requests.length, 1)
})

test('a specification that speaks of removing lets nothing go; the model is asked again', inJail, async t => {
  const gap = block('report.py', 'def mean(values):\n    # ... existing code ...\n    return 0\n')
  const diff =
    '```diff\n--- a/report.py\n+++ b/report.py\n@@ -1,3 +1,3 @@\n def mean(values):\n     total = sum(values)\n' +
    '-    return total / len(values)\n+    return total / len(values) if values else 0\n```\n'
  const { app, post, sent } = await buildWithModel(t, [{ text: gap }, { text: diff }])
  const job = (await post('/self-heal', { prompt: 'Removes the function show', files: FILES })).json()
  t.match(job, { status: 'succeeded', result: { healed: true } })
  t.match(sent(1).at(-1)?.content, /leaves out code of report\.py and says so/)
  t.equal((await app.inject(`/jobs/${job.id}/files/report.py`)).body, `${MENDED}\n\n${SHOW}`)
})

test('a file that comes back as the model was shown it keeps its secrets', inJail, async t => {
  const secret = 'PASSWORD = "hunter2Kx9"\n\n\n'
  const reply = block('report.py', `PASSWORD = "[redacted:password]"\n\n\n${MENDED}\n\n${SHOW}`)
  const { app, post, model } = await buildWithModel(t, [{ text: reply }])
  const files = { ...FILES, 'report.py': `${secret}${FILES['report.py']}` }
  const job = (await post('/self-heal', { prompt: 'Prints the mean', files })).json()
  t.match(job, { status: 'succeeded', result: { healed: true } })
  t.equal((await app.inject(`/jobs/${job.id}/files/report.py`)).body, `${secret}${MENDED}\n\n${SHOW}`)
  t.equal(model.requests.length, 1)
})
