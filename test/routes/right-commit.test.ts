import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { signWebhook } from '../../src/core/webhook.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

const SECRET = 'a secret of sixteen bytes or more'
const TRACE =
  'Traceback (most recent call last):\n  File "/app/src/prices.py", line 2, in average\n' +
  '    return total / count\nZeroDivisionError: division by zero'
const code = (body: string): string => `def average(total, count):\n    return ${body}\n`

/** A project whose remote has moved on since it was cloned. */
async function behind(t: Test) {
  const built = await buildApp(t, {
    env: { ALLOW_PRIVATE_HOSTS: 'true', WEBHOOK_SECRETS: `ci=${SECRET}` },
  })
  mkdirSync(join(built.reposDir, 'acme'))
  const remote = createGitRepository(join(built.reposDir, 'acme', 'shop.git'), {
    files: { 'src/prices.py': code('total // count') },
  })
  const server = await startGitHttpServer(built.reposDir)
  t.teardown(() => server.close())
  const { result } = await cloneInto(t, built, { url: `${server.url}/acme/shop.git` })
  await built.services.idle()
  const newer = remote.commit({ 'src/prices.py': code('total / count') })
  remote.git('tag', 'v2', newer)
  remote.commit({ 'src/prices.py': code('total / max(count, 1)') })
  const resolve = async (body: object) =>
    (
      await built.app.inject({
        method: 'POST',
        url: '/resolve',
        body: { project_name: 'shop', stacktrace: TRACE, mode: 'context', ...body },
      })
    ).json()
  return { ...built, server, remote, indexed: result.commit as string, newer, resolve }
}

test('a commit or tag that a request names is fetched when the clone lacks it, and read', async t => {
  const { resolve, newer, indexed, server, app } = await behind(t)
  t.match(await resolve({}), { commit: indexed })
  t.match(await resolve({ ref: newer }), { commit: newer, context: />>> +2 \| {5}return total \/ count/ })
  t.match(await resolve({ ref: 'v2' }), { commit: newer })
  const asked = server.requests.length
  t.match(await resolve({ ref: newer }), { commit: newer })
  t.equal(server.requests.length, asked, 'once')
  const dryRun = await app.inject({
    method: 'POST',
    url: '/resolve',
    body: { project_name: 'shop', stacktrace: TRACE, ref: 'v2', dry_run: true },
  })
  t.match(dryRun.json(), { messages: Array })
  t.match((await app.inject('/projects/shop')).json().repositories, [{ commit: indexed }])
})

test('what cannot be fetched is said, and not asked for again at once; an answer without a ref asks nobody', async t => {
  const { resolve, server } = await behind(t)
  const refused = await resolve({ ref: 'v9' })
  t.match(refused, {
    status: 422,
    code: 'REF_NOT_FOUND',
    detail: /Nor could it be fetched: .* no commit, tag or branch "v9"/,
  })
  const asked = server.requests.length
  t.match(await resolve({ ref: 'v9' }), { code: 'REF_NOT_FOUND', detail: /Nor could it be fetched/ })
  await resolve({})
  t.equal(server.requests.length, asked)
  server.behaviour = { status: 503 }
  t.match(await resolve({ ref: 'v8' }), { code: 'REF_NOT_FOUND', detail: /did not answer as a git server/ })
})

async function sendLog(
  { app, services }: Pick<Awaited<ReturnType<typeof behind>>, 'app' | 'services'>,
  commit: string,
) {
  const payload = JSON.stringify({ project_name: 'shop', log: TRACE, commit })
  const res = await app.inject({
    method: 'POST',
    url: '/webhooks/ci',
    payload,
    headers: {
      'content-type': 'application/json',
      ...signWebhook({ id: `d-${commit}`, body: payload, keys: [Buffer.from(SECRET)], now: new Date() }),
    },
  })
  await services.jobs.settled(res.json().id, 60_000)
  return (await app.inject(`/jobs/${res.json().id}`)).json()
}

test('the log of a CI run is read at its commit, or a notice says why not', async t => {
  const built = await behind(t)
  const { newer, indexed } = built
  const [found] = (await sendLog(built, newer)).result
  t.match(found, { commit: newer, context: />>> +2 \| {5}return total \/ count/ })
  t.notMatch(found.notice ?? '', /commit/)
  const gone = 'a'.repeat(40)
  const job = await sendLog(built, gone)
  t.match(job.result, [
    { commit: indexed, notice: new RegExp(`${gone}.*Nor could it be fetched.*read as it was indexed`) },
  ])
})
