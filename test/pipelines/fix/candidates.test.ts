import { test } from 'tap'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'

const FILES = {
  'shop/__init__.py': '',
  'shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n',
  'test_prices.py':
    'import unittest\nfrom shop.prices import average\n\n\nclass PricesTest(unittest.TestCase):\n' +
    '    def test_empty(self):\n        self.assertEqual(average([]), 0)\n\n' +
    '    def test_some(self):\n        self.assertEqual(average([2, 4]), 3)\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
const VERIFY = { command: 'python3 -m unittest -q' }

/** A reply that puts some lines before the sum. */
const reply = (...lines: string[]) => ({
  text:
    `An empty list.\n\n\`\`\`diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,${3 + lines.length} @@\n` +
    ` def average(items):\n${lines.map(line => `+    ${line}\n`).join('')}     total = sum(items)\n` +
    '     return total / len(items)\n```\n',
})
const WRONG = reply('if not items:', '    return None')
const MEND = reply('if not items:', '    return 0')
const LONG = reply('count = len(items)', 'if count == 0:', '    return 0')
const LOUD = reply('print("shop/prices.py:2: warning: odd")', 'if not items:', '    return 0')
const UNFIT = { text: '```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1 +1 @@\n-nothing\n+more\n```\n' }

type Told = { number: number; chosen: boolean; votes: number; verification: string | null }
const told = ({ number, chosen, votes, verification }: Told) => [number, chosen, votes, verification]

test('of several candidates the best is chosen, and all are kept with what came of them', inJail, async t => {
  const replies = [WRONG, LOUD, LONG, MEND, UNFIT]
  const { post, sent, git, applied } = await buildProject(t, FILES, replies)
  const job = (
    await post('/fix', {
      stacktrace: TRACE,
      project_name: 'shop',
      verify: VERIFY,
      review: 'auto',
      candidates: 5,
      max_refinements: 0,
    })
  ).json()
  t.match(job, { status: 'succeeded', result: { verification: /^verified$/, after: { exit_code: 0 } } })
  t.same(job.result.candidates.map(told), [
    [1, false, 1, 'unverified'],
    [2, false, 1, 'verified'],
    [3, false, 1, 'verified'],
    [4, true, 1, 'verified'],
    [5, false, 0, null],
  ])
  t.ok(job.result.candidates[1].warnings > 0)
  t.match(job.result.candidates[0], { diff: /return None/, runs: [{ before: 1, after: 1 }] })
  t.match(job.result.candidates[4], { note: /could not be applied/ })
  t.match(job.result.diff, /^\+ {4}if not items:\n\+ {8}return 0$/m)
  t.equal(git('show', `${job.result.branch}:shop/prices.py`).includes('count'), false)
  t.match(await applied(job.id, 'shop/prices.py'), { apply: /if not items:\n {8}return 0\n/, am: /return 0\n/ })
  const asked = (request: number) => JSON.stringify(sent(request)).replace(/data-[0-9a-f]{32}/g, 'data')
  for (const request of [1, 2, 3, 4]) t.equal(asked(request), asked(0), 'each is asked anew, without the others')
})

test('equal candidates are votes, and are checked once', inJail, async t => {
  const { app, post } = await buildProject(t, FILES, [MEND, LONG, LONG])
  const body = { stacktrace: TRACE, project_name: 'shop', verify: VERIFY, candidates: 3 }
  const asked = (await post('/fix', body)).json()
  t.match(asked, { status: 'waiting', request: { diff: /count == 0/, verification: /^verified$/ } })
  const { data } = (await app.inject(`/jobs/${asked.id}/transcript`)).json()
  const commands = data.filter(({ kind }: { kind: string }) => kind === 'command')
  t.equal(commands.length, 4, 'twice before, once for each different change')
  t.match((await app.inject(`/jobs/${asked.id}/diff`)).body, /count == 0/)
})

test('a rejected candidate is asked about alone', inJail, async t => {
  const { post, reply: answer } = await buildProject(t, FILES, [WRONG, WRONG, MEND])
  const body = { stacktrace: TRACE, project_name: 'shop', verify: VERIFY, candidates: 2 }
  const asked = (await post('/fix', body)).json()
  t.match(asked.request, { diff: /return None/, verification: 'unverified' })
  const again = (await answer(asked.id, { decision: 'reject', comment: 'The mean of nothing is 0.' })).json()
  t.match(again.request, { diff: /return 0/, verification: /^verified$/ })
  const job = (await answer(asked.id, { decision: 'approve' })).json()
  t.same(job.result.candidates.map(told), [
    [1, false, 2, 'unverified'],
    [2, false, 0, null],
  ])
})

test('a candidate that could not be applied leaves none of its files', async t => {
  const part = { text: `notes.py\n\`\`\`python\nx = 1\n\`\`\`\n\n${UNFIT.text}` }
  const { app, post } = await buildProject(t, FILES, [part, MEND])
  const body = { stacktrace: TRACE, project_name: 'shop', candidates: 2, max_refinements: 0, review: 'auto' }
  const job = (await post('/fix', { ...body, allow_paths: ['*.py'] })).json()
  t.match(job.result.candidates.map(told), [
    [1, false, 0, null],
    [2, true, 1, 'unverified'],
  ])
  const { data } = (await app.inject(`/jobs/${job.id}/files`)).json()
  t.same(
    data.map(({ path }: { path: string }) => path),
    ['shop/prices.py'],
  )
})

test('where no candidate can be applied, the job fails as with one', async t => {
  const { post } = await buildProject(t, FILES, [UNFIT, UNFIT])
  const body = { stacktrace: TRACE, project_name: 'shop', candidates: 2, max_refinements: 0 }
  t.match((await post('/fix', body)).json(), { status: 'failed', error: { code: 'EDITS_REJECTED' } })
})

test('a budget that is used up ends the search', async t => {
  const { post, reply: answer } = await buildProject(t, FILES, [MEND, LONG])
  const body = { stacktrace: TRACE, project_name: 'shop', review: 'auto', candidates: 3, budget: { tokens: 1 } }
  const asked = (await post('/fix', body)).json()
  t.match(asked, { status: 'waiting', request: { kind: 'budget' } })
  const job = (await answer(asked.id, { skip: true })).json()
  t.match(job, { status: 'succeeded', result: { diff: /return 0/ } })
  t.same(job.result.candidates.map(told), [[1, true, 1, 'unverified']])
})
