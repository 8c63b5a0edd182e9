import { test } from 'tap'
import { block } from '../../helpers/part-cases.ts'
import { buildProject } from '../../helpers/project-with-model.ts'

const AVERAGE = 'def average(items):\n    total = sum(items)\n    return total / len(items)\n'
const MEDIAN = 'def median(items):\n    ordered = sorted(items)\n    return ordered[len(ordered) // 2]\n'
const PRICES = `"""Prices."""\n\n${AVERAGE}\n\n${MEDIAN}`
const MENDED = AVERAGE.replace('len(items)', 'max(1, len(items))')
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 5, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'

test('a fix that shows one function changes that one', async t => {
  const { post, applied } = await buildProject(t, { 'shop/prices.py': PRICES }, [
    { text: block('shop/prices.py', MENDED) },
  ])
  const job = (await post('/fix', { stacktrace: TRACE, project_name: 'shop', review: 'auto' })).json()
  t.match(job, { status: 'succeeded', result: { complete: true, refinements: 0, rejected_hunks: [] } })
  const { apply, am } = await applied(job.id, 'shop/prices.py')
  t.equal(apply, PRICES.replace(AVERAGE, MENDED))
  t.equal(am, apply)
})

test('a fix that shows a part without a certain place is asked for again, and fails when it stays so', async t => {
  const part = { text: block('shop/prices.py', `${MENDED}\nprint(average([]))\n`) }
  const { post, sent, git } = await buildProject(t, { 'shop/prices.py': PRICES }, [part, part])
  const body = { stacktrace: TRACE, project_name: 'shop', review: 'auto', max_refinements: 1 }
  t.match((await post('/fix', body)).json(), {
    status: 'failed',
    error: { code: 'EDITS_REJECTED', message: /lacks median of shop\/prices\.py, and nobody asked to remove that/ },
  })
  t.match(sent(1).at(-1)?.content, /lacks median of shop\/prices\.py/)
  t.equal(git('for-each-ref', 'refs/heads'), '')
})
