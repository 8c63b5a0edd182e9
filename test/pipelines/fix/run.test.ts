import { test } from 'tap'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'

const FILES = {
  'shop/__init__.py': '',
  'shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n',
  'shop/report.py': 'from shop.prices import average\n\n\ndef report():\n    return f"mean: {average([])}"\n',
  'shop/unrelated.py': 'NAME = "unrelated"\n',
  'test_report.py':
    'import unittest\nfrom shop.report import report\n\n\nclass ReportTest(unittest.TestCase):\n' +
    '    def test_empty(self):\n        self.assertEqual(report(), "mean: 0")\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/report.py", line 5, in report\n' +
  '    return f"mean: {average([])}"\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
const MEND =
  'An empty list.\n\n```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,5 @@\n' +
  ' def average(items):\n+    if not items:\n+        return 0\n     total = sum(items)\n' +
  '     return total / len(items)\n```\n'
const VERIFY = { command: 'python3 -m unittest -q' }

test('a trace becomes a verified change on a branch, once a person approves', inJail, async t => {
  const { post, reply, sent, git, commit, applied, app } = await buildProject(t, FILES, [{ text: MEND }])
  const asked = (await post('/fix', { stacktrace: TRACE, project_name: 'shop', verify: VERIFY })).json()
  t.match(asked, {
    status: 'waiting',
    type: 'fix',
    request: { kind: 'review_changes', diff: /\+ {4}if not items:/, verification: /^verified$/ },
  })
  t.same(
    sent(0).map(({ role }) => role),
    ['system', 'user', 'user'],
  )
  t.match(sent(0)[2]?.content, />>> +3 \| {5}return total \/ len\(items\)/)
  t.equal(git('for-each-ref', 'refs/heads'), '')

  const job = (await reply(asked.id, { decision: 'approve' })).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      base_commit: commit,
      branch: `faultline/${job.id}`,
      commit: /^[0-9a-f]{40}$/,
      complete: true,
      rejected_hunks: [],
      files: [{ path: 'shop/prices.py' }],
      resolution: {
        id: /^res_/,
        frames: [
          { path: 'shop/report.py', code_line: 5, in_project: true },
          { path: 'shop/prices.py', code_line: 3 },
        ],
      },
      verification: /^verified$/,
      guards: [],
      baseline: { exit_code: 1, stderr: /ZeroDivisionError/ },
      after: { exit_code: 0 },
    },
  })
  t.equal(git('log', '-1', '--format=%s', job.result.branch), 'Fix ZeroDivisionError: division by zero')
  t.match(await applied(job.id, 'shop/prices.py'), { apply: /return 0\n/, am: /return 0\n/ })
  const commands = (await app.inject(`/jobs/${job.id}/transcript`))
    .json()
    .data.filter(({ kind }: { kind: string }) => kind === 'command')
  t.same(
    commands.map(({ step, exit_code: code }: { step: string; exit_code: number }) => [step, code]),
    [
      ['baseline', 1],
      ['baseline:1', 1],
      ['verify', 0],
    ],
  )
})

test('a person who rejects gets nothing committed; without a command nothing is said to be verified', async t => {
  const { post, reply, git } = await buildProject(t, FILES, [{ text: MEND }])
  const asked = (await post('/fix', { stacktrace: TRACE, project_name: 'shop' })).json()
  t.match(asked, { status: 'waiting', request: { verification: 'unverified' } })
  t.match((await reply(asked.id, { decision: 'reject' })).json(), {
    status: 'succeeded',
    result: { branch: null, commit: null, files: [], verification: 'unverified', baseline: null, after: null },
  })
  t.equal(git('for-each-ref', 'refs/heads'), '')
})

test('a fix that is rejected with a comment is made again from the commit, and verified again', inJail, async t => {
  const wrong = MEND.replace('return 0', 'return None')
  const { app, post, reply, sent, git, commit, applied } = await buildProject(t, FILES, [
    { text: wrong },
    { text: MEND },
  ])
  const asked = (await post('/fix', { stacktrace: TRACE, project_name: 'shop', verify: VERIFY })).json()
  t.match(asked.request, { explanation: 'An empty list.', diff: /return None/, verification: 'unverified' })
  const again = (await reply(asked.id, { decision: 'reject', comment: 'The mean of nothing is 0.' })).json()
  t.match(again.request, { diff: /\+ {8}return 0\n/, verification: /^verified$/, refinements_left: 2 })
  t.notMatch(again.request.diff, /None/)
  t.match(sent(1)[1]?.content, /def average\(items\):\n {4}total = sum/, 'it is shown the file of the commit')

  const job = (await reply(asked.id, { decision: 'approve' })).json()
  t.match(job.result, {
    verification: /^verified$/,
    baseline: { exit_code: 1 },
    after: { exit_code: 0 },
    refinements: 1,
  })
  t.equal(git('rev-list', '--count', `${commit}..${job.result.branch}`), '1')
  t.match(await applied(job.id, 'shop/prices.py'), { apply: /return 0\n/, am: /return 0\n/ })
  const { data } = (await app.inject(`/jobs/${job.id}/transcript`)).json()
  t.same(
    data.filter(({ kind }: { kind: string }) => kind === 'command').map(({ step }: { step: string }) => step),
    ['baseline', 'baseline:1', 'verify', 'verify:1'],
  )
})

test('a fix that only hides the failure is told to the person, and is not verified', inJail, async t => {
  const hiding =
    '```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,6 @@\n def average(items):\n' +
    '-    total = sum(items)\n-    return total / len(items)\n+    try:\n+        total = sum(items)\n' +
    '+        return total / len(items)\n+    except Exception:\n+        return 0\n```\n'
  const { post, reply } = await buildProject(t, FILES, [{ text: hiding }])
  const asked = (await post('/fix', { stacktrace: TRACE, project_name: 'shop', verify: VERIFY })).json()
  const guards = [
    {
      path: 'shop/prices.py',
      line: 5,
      kind: 'swallowed_error',
      detail: 'A handler catches Exception and returns a default.',
    },
  ]
  t.match(asked, { status: 'waiting', request: { verification: 'partially_verified', guards } })
  const job = (await reply(asked.id, { decision: 'approve' })).json()
  t.match(job.result, {
    verification: 'partially_verified',
    guards,
    baseline: { exit_code: 1 },
    after: { exit_code: 0 },
  })
})

test('the line of the trace tells a check that hides the failure from others', async t => {
  const files = {
    'shop/user.py': 'def name_of(user):\n    return user.name.title()\n',
  }
  const trace =
    'Traceback (most recent call last):\n  File "/srv/app/shop/user.py", line 2, in name_of\n' +
    "    return user.name.title()\nAttributeError: 'NoneType' object has no attribute 'name'"
  const text =
    '```diff\n--- a/shop/user.py\n+++ b/shop/user.py\n@@ -1,2 +1,4 @@\n def name_of(user):\n+    if user is None:\n' +
    '+        return None\n     return user.name.title()\n```\n'
  const { post } = await buildProject(t, files, [{ text }])
  const job = (await post('/fix', { stacktrace: trace, project_name: 'shop', review: 'auto' })).json()
  t.match(job, {
    status: 'succeeded',
    result: { verification: 'unverified', guards: [{ path: 'shop/user.py', line: 2, kind: 'null_check' }] },
  })
})

test('a fix may only change the files that the trace led to, unless the request allows others', async t => {
  const outside = { text: '```diff\n--- a/zoo/zebra.txt\n+++ b/zoo/zebra.txt\n@@ -1 +1 @@\n-stripes\n+dots\n```\n' }
  const { post, sent } = await buildProject(t, { ...FILES, 'zoo/zebra.txt': 'stripes\n' }, [outside, outside])
  const body = { stacktrace: TRACE, project_name: 'shop', review: 'auto', max_refinements: 0 }
  t.match((await post('/fix', body)).json(), {
    status: 'failed',
    error: { code: 'EDITS_REJECTED', message: /zoo\/zebra\.txt.*shown/ },
  })
  t.notMatch(sent(0)[1]?.content, /zebra/)
  t.match((await post('/fix', { ...body, allow_paths: ['zoo/**'] })).json(), {
    status: 'succeeded',
    result: { files: [{ path: 'zoo/zebra.txt' }] },
  })
})

test('what cannot be fixed is refused before any work', async t => {
  const { app, model } = await buildProject(t, FILES, [])
  const refused = async (body: object) => (await app.inject({ method: 'POST', url: '/fix', body })).json()
  t.match(await refused({ stacktrace: TRACE, project_name: 'nope' }), { status: 404, code: 'PROJECT_NOT_FOUND' })
  t.match(await refused({ stacktrace: TRACE }), { status: 400, code: 'VALIDATION_FAILED' })
  t.match(await refused({ stacktrace: TRACE, project_name: 'shop', verify: { command: ' ' } }), {
    status: 400,
    code: 'VALIDATION_FAILED',
  })
  t.match(await refused({ stacktrace: TRACE, project_name: 'shop', repository: 'other' }), {
    status: 400,
    code: 'VALIDATION_FAILED',
  })
  const dry = await refused({ stacktrace: TRACE, project_name: 'shop', dry_run: true })
  t.match(
    dry.messages.map(({ role }: { role: string }) => role),
    ['system', 'user', 'user'],
  )
  t.equal(model.requests.length, 0)
})
