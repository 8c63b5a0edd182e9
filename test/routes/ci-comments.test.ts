import { generateKeyPairSync } from 'node:crypto'
import { test } from 'tap'
import { signWebhook } from '../../src/core/webhook.ts'
import { FORGE_KINDS } from '../../src/core/forge-kind.ts'
import { buildForgeProject, type ForgeProject } from '../helpers/forge-project.ts'
import { MEAN_FILES, MEAN_TRACE } from '../helpers/mean-shop.ts'

const SECRET = 'a secret of sixteen bytes'
const ENV = { WEBHOOK_SECRETS: `ci=${SECRET}` }
let deliveries = 0

/** Posts a log as CI would, and waits for its job. */
async function postLog({ app, services }: ForgeProject, fields: object) {
  const payload = JSON.stringify({ project_name: 'shop', log: MEAN_TRACE, ...fields })
  const id = `delivery-${++deliveries}`
  const headers = signWebhook({ id, body: payload, keys: [Buffer.from(SECRET)], now: new Date() })
  const res = await app.inject({
    method: 'POST',
    url: '/webhooks/ci',
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  })
  const job = res.json()
  if (res.statusCode !== 202) return job
  return services.jobs.settled(job.id, 30_000)
}

for (const kind of FORGE_KINDS) {
  test(`${kind}: what is found in a log is one comment on the request that the post names, which is changed`, async t => {
    const built = await buildForgeProject(t, MEAN_FILES, [], { kind, env: ENV })
    const { forge } = built
    t.match(await postLog(built, {}), { status: 'succeeded' })
    t.same(forge.calls, [], 'no request is named')
    const first = await postLog(built, { pull_request: 7 })
    t.equal(first.status, 'succeeded')
    t.match(forge.state.comments, [{ number: 7, body: /`ZeroDivisionError`: division by zero\n[^]*shop\/prices\.py/ }])
    t.match((await built.logsOf(first.id)).join('\n'), /Commented on the pull request 7\./)
    const log = MEAN_TRACE.replace('division by zero', 'fixes #1 for @ann')
    t.match(await postLog(built, { pull_request: 7, log }), { status: 'succeeded' })
    t.equal(forge.state.comments.length, 1)
    t.match(forge.state.comments, [{ body: /for @\u200Bann/ }])
    t.notMatch(forge.state.comments[0]?.body, /division by zero`?$|fixes #1/m)

    t.match(await postLog(built, { pull_request: 8, log: 'all is well' }), { status: 'succeeded' })
    t.equal(forge.state.comments.length, 1, 'a log without a fault is no news')
    t.same(forge.violations, [])
  })
}

test('a project can do without comments, and a forge that refuses one costs the job nothing', async t => {
  const built = await buildForgeProject(t, MEAN_FILES, [], { env: ENV })
  const { app, forge } = built
  forge.script.push({ to: /^POST/, status: 403 })
  const refused = await postLog(built, { pull_request: 7 })
  t.equal(refused.status, 'succeeded')
  t.match((await built.logsOf(refused.id)).join('\n'), /did not comment: the token may not \(403\)[^]*Give the token/)

  const patched = await app.inject({ method: 'PATCH', url: '/projects/shop', body: { ci_comments: false } })
  t.match(patched.json(), { ci_comments: false })
  forge.calls.length = 0
  t.equal((await postLog(built, { pull_request: 7 })).status, 'succeeded')
  t.same(forge.calls, [])
  t.match(await postLog(built, { pull_request: 0 }), { status: 400, code: 'VALIDATION_FAILED' })
})

test('without a token nothing is written, and that is said', async t => {
  const built = await buildForgeProject(t, MEAN_FILES, [], { env: ENV, token: null })
  const job = await postLog(built, { pull_request: 7 })
  t.equal(job.status, 'succeeded')
  t.match((await built.logsOf(job.id)).join('\n'), /No comment is written: GIT_TOKENS has no token for 127\.0\.0\.1/)
  t.same(built.forge.calls, [])
})

test('a GitHub App writes a check run on the commit that CI ran, with the failing line and likely causes', async t => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const GITHUB_APP_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const built = await buildForgeProject(t, MEAN_FILES, [], {
    token: null,
    env: { ...ENV, GITHUB_APP_ID: '12', GITHUB_APP_KEY },
  })
  const { forge, commit } = built
  const job = await postLog(built, { commit })
  t.equal(job.status, 'succeeded')
  t.match(forge.state.checkRuns, [
    {
      commit,
      externalId: job.id,
      conclusion: 'neutral',
      title: 'ZeroDivisionError: division by zero',
      summary: /ZeroDivisionError/,
      annotations: [{ path: 'shop/prices.py', start_line: 3, annotation_level: 'failure' }, {}],
    },
  ])
  t.match((await built.logsOf(job.id)).join('\n'), /Wrote the check run http/)
  t.same(forge.violations, [])
  await postLog(built, { commit: 'e'.repeat(40) })
  t.equal(forge.state.checkRuns.length, 1, 'none on a commit that was not read')
})
