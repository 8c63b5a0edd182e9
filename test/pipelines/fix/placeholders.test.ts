import { test } from 'tap'
import { redact } from '../../../src/llm/redaction/redact.ts'
import { block } from '../../helpers/part-cases.ts'
import { buildProject } from '../../helpers/project-with-model.ts'

const PRICES =
  'PASSWORD = "hunter2Kx9"\n\n\ndef average(items):\n    total = sum(items)\n    return total / len(items)\n'
const { text: SHOWN } = redact(PRICES)
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 6, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
const BODY = { stacktrace: TRACE, project_name: 'shop', review: 'auto' }
const mended = (text: string): string => text.replace('/ len(items)', '/ max(1, len(items))')

test('a fix that repeats the file as the model was shown it keeps its secrets', async t => {
  const { post, git } = await buildProject(t, { 'shop/prices.py': PRICES }, [
    { text: block('shop/prices.py', mended(SHOWN)) },
  ])
  const job = (await post('/fix', BODY)).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 0, rejected_hunks: [] } })
  const branch = git('for-each-ref', '--format=%(refname)', 'refs/heads/faultline').trim()
  t.equal(git('show', `${branch}:shop/prices.py`).trim(), mended(PRICES).trim())
})

test('a fix that shows hidden lines as context fits', async t => {
  const diff =
    '```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,3 @@\n PASSWORD = "[redacted:password]"\n' +
    '+LEAST = 1\n \n```\n'
  const { post, git } = await buildProject(t, { 'shop/prices.py': PRICES }, [{ text: diff }])
  const job = (await post('/fix', BODY)).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 0, rejected_hunks: [] } })
  const branch = git('for-each-ref', '--format=%(refname)', 'refs/heads/faultline').trim()
  t.match(git('show', `${branch}:shop/prices.py`), /^PASSWORD = "hunter2Kx9"\nLEAST = 1\n/)
})
