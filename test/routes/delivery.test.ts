import { test } from 'tap'
import { buildForgeProject, TOKEN } from '../helpers/forge-project.ts'
import { MEAN_FILES as FILES, mendMean as mend, PUSHED_FIX as BODY } from '../helpers/mean-shop.ts'
import { inJail } from '../helpers/sandbox.ts'

test('what a person approves is pushed, and a draft tells where it came from and what was run', inJail, async t => {
  const { post, reply, repository, forge, logsOf, commit, services } = await buildForgeProject(t, FILES, [mend('0')])
  await services.idle() // the history comes after the clone
  forge.state.authors.set(commit, 'bob')
  const asked = (await post('/fix', { ...BODY, review: 'ask', verify: { command: 'python3 -m unittest -q' } })).json()
  t.equal(asked.status, 'waiting', JSON.stringify(asked.error))
  t.equal(forge.calls.length, 0, 'nothing is told before')
  const job = (await reply(asked.id, { decision: 'approve' })).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      branch: `faultline/${job.id}`,
      pull_request_url: `${forge.url}/repos/shop/pull/1`,
      compare_url: new RegExp(`/repos/shop/compare/main\\.\\.\\.faultline/${job.id}\\?expand=1$`),
    },
  })
  t.equal(repository.git('rev-parse', job.result.branch), job.result.commit)
  const [request, ...others] = forge.state.requests
  t.same(others, [])
  t.match(request, {
    head: job.result.branch,
    base: 'main',
    isDraft: true,
    title: 'Fix ZeroDivisionError: division by zero',
    reviewers: ['ann', 'bob'],
  })
  const body = request?.body ?? ''
  for (const part of [
    '`ZeroDivisionError: division by zero`',
    '  File "/srv/app/shop/prices.py", line 3, in average',
    '- `shop/prices.py:3` in `average`',
    '- `shop/prices.py` +2 −0',
    '**verified**',
    '- `python3 -m unittest -q` (the whole): exit code 1 before the change, 0 after it.',
    '### Suspect commits',
    '### Cause, as a model explains it',
    'An empty list has no mean.',
  ]) {
    t.ok(body.includes(part), part)
  }
  t.notMatch(body, /Closes #4|@ann/)
  t.match(
    (await logsOf(job.id)).join('\n'),
    /Opened the pull request: http\S+\/pull\/1\n[^]*Asked ann, bob for a review/,
  )
  t.same(forge.violations, [])
})

test(
  "a draft names the project's own command, each run of it, the tests, and what may only hide the fault",
  inJail,
  async t => {
    const swallowed =
      '```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,6 @@\n def average(items):\n' +
      '     total = sum(items)\n-    return total / len(items)\n+    try:\n+        return total / len(items)\n' +
      '+    except Exception:\n+        return 0\n```\n'
    const { app, post, forge } = await buildForgeProject(t, FILES, [{ text: swallowed }])
    const checks = { test: 'python3 -m unittest -v' }
    await app.inject({ method: 'PATCH', url: '/projects/shop', payload: { checks } })
    const job = (await post('/fix', BODY)).json()
    t.equal(job.status, 'succeeded', JSON.stringify(job.error))
    const body = forge.state.requests[0]?.body ?? ''
    for (const { kind, command, before, after } of job.result.runs) {
      t.ok(body.includes(`- \`${command}\` (`), kind)
      t.ok(body.includes(`exit code ${before} before the change, ${after} after it.`), kind)
    }
    t.match(job.result, { runs: [{ command: /unittest/ }], tests: { fixed: [/test_empty/] } })
    for (const id of job.result.tests.fixed) t.ok(body.includes(`- \`${id}\``), id)
    t.match(job.result, { verification: 'partially_verified', guards: [{ path: 'shop/prices.py' }] })
    t.match(body, /\*\*partially verified\*\*: [^]*may only hide the fault:\n\n- `shop\/prices\.py:\d+` `/)
  },
)

test('a change that was asked for in words has a request of its own, with those words', async t => {
  const { post, forge } = await buildForgeProject(t, FILES, [mend('0')], { kind: 'gitea' })
  const job = (
    await post('/improve', {
      prompt: 'The mean of nothing is nothing\n\n@ann: fixes #1',
      project_name: 'shop',
      select: ['shop/*.py'],
      review: 'auto',
      push: true,
    })
  ).json()
  t.match(job.result, { pull_request_url: /\/repos\/shop\/pulls\/1$/ }, JSON.stringify(job.error))
  t.match(forge.state.requests, [
    { title: 'WIP: The mean of nothing is nothing', body: /What was asked for\n\n```text\nThe mean/ },
  ])
  t.notMatch(forge.state.requests[0]?.body, /fixes #1/)
})

test('without a token, or without a push, there is no request; a forge that nobody has named has no page either', async t => {
  const { post, forge, logsOf } = await buildForgeProject(t, FILES, [mend('0'), mend('1')], { token: null })
  const pushed = (await post('/fix', BODY)).json()
  t.match(pushed, { status: 'succeeded', result: { pull_request_url: null, compare_url: /\/compare\/main\.\.\./ } })
  t.match(
    (await logsOf(pushed.id)).join('\n'),
    /GIT_TOKENS has no token for 127\.0\.0\.1:\d+: open the pull request at http/,
  )
  const kept = (await post('/fix', { ...BODY, push: false })).json()
  t.match(kept.result, { pull_request_url: null, compare_url: null, branch: /^faultline/ })
  t.same(forge.calls, [])

  const unknown = await buildForgeProject(t, FILES, [mend('0')], { env: { FORGES: 'git.example.com=gitea' } })
  const job = (await unknown.post('/fix', BODY)).json()
  t.match(job, { status: 'succeeded', result: { pull_request_url: null, compare_url: null } })
  t.equal(unknown.repository.git('rev-parse', job.result.branch), job.result.commit)
  t.same(unknown.forge.calls, [])
})

test('a forge that refuses fails the job after the push, which a retry takes up without paying again', async t => {
  const { post, forge, model, repository } = await buildForgeProject(t, FILES, [mend('0')])
  forge.script.push({ to: /^POST/, status: 403, body: { message: `Resource not accessible by ${TOKEN}` } })
  const refused = (await post('/fix', BODY)).json()
  t.match(refused, {
    status: 'failed',
    error: {
      code: 'FORGE_REFUSED',
      step: 'pull_request',
      message: /did not open a pull request: the token may not \(403\)/,
    },
  })
  t.notMatch(JSON.stringify(refused), TOKEN)
  const branch = `faultline/${refused.id}`
  t.ok(repository.git('rev-parse', branch))
  const again = (await post(`/jobs/${refused.id}/retry`, { from_step: 'pull_request', draft: false })).json()
  t.match(again, { status: 'succeeded', result: { branch, pull_request_url: /\/pull\/1$/ } }, JSON.stringify(again))
  t.match(forge.state.requests, [{ isDraft: false }])
  t.equal(model.requests.length, 1)
  t.same(forge.violations, [])
})

test('a default branch that moved is told with its new name', async t => {
  const { post, forge, repository } = await buildForgeProject(t, FILES, [mend('0')], { kind: 'gitlab' })
  forge.state.defaultBranch = 'trunk'
  repository.git('branch', '-m', 'main', 'trunk')
  t.match((await post('/fix', BODY)).json(), {
    status: 'failed',
    error: {
      code: 'FORGE_REFUSED',
      message: /"main", which the project follows, is not there; the default branch is now "trunk"/,
    },
  })
})
