import { join } from 'node:path'
import { t as file, test, type Test } from 'tap'
import { signWebhook } from '../../src/core/webhook.ts'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { forgeEnv, TOKEN } from '../helpers/forge-project.ts'
import { startForgeServer } from '../helpers/forge-server.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { MEAN_FILES, MEAN_TRACE, mendMean, PUSHED_FIX } from '../helpers/mean-shop.ts'
import { api } from '../helpers/kill-rounds.ts'
import { openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { until, type WireJob } from './job-over-http.ts'

file.setTimeout(360_000) // the usual half minute is for the whole file, which a busy machine needs alone

const SECRET = 'a secret of sixteen bytes'

/** A server in a process of its own whose project `shop` is on a forge. */
async function setup(t: Test, chat: Reply[]) {
  const root = openFolder(t)
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const repository = createGitRepository(join(root, 'remotes', 'shop.git'), { files: MEAN_FILES })
  repository.git('config', 'http.receivepack', 'true')
  const remote = await startGitHttpServer(root)
  t.teardown(() => remote.close())
  const branches = (): string[] => repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
  const forge = await startForgeServer(t, 'github', { path: 'remotes/shop', token: TOKEN, branches })
  const env = {
    ...forgeEnv(remote, forge),
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    WEBHOOK_SECRETS: `ci=${SECRET}`,
  }
  const start = (): Promise<ServerProcess> => startServerProcess(root, env, INLINE_SERVER)
  const first = await start()
  const clone = { url: `${remote.url}/remotes/shop.git`, project_name: 'shop' }
  await api<WireJob>(first, 'POST', '/clone?wait=60', clone)
  return { root, model, repository, remote, forge, start, first }
}

/** Kills the server once the forge has done what the call says and has not told. @returns the job that it was for. */
async function killUnheard(
  { forge, first }: Pick<Awaited<ReturnType<typeof setup>>, 'forge' | 'first'>,
  to: RegExp,
  post: () => Promise<WireJob>,
): Promise<string> {
  const { promise: done, resolve } = Promise.withResolvers<null>()
  forge.swallow = { to, onDone: () => resolve(null) }
  const { id } = await post()
  const ended = await Promise.race([done, until(first.url, id, ({ status }) => status === 'succeeded')])
  if (ended !== null) throw new Error(`the forge was never asked: ${JSON.stringify(ended)}`)
  await first.end('SIGKILL')
  forge.swallow = null
  return id
}

function postLog(server: ServerProcess, id: string): Promise<WireJob> {
  const body = { project_name: 'shop', log: MEAN_TRACE, pull_request: 7 }
  const signed = signWebhook({ id, body: JSON.stringify(body), keys: [Buffer.from(SECRET)], now: new Date() })
  return api<WireJob>(server, 'POST', '/webhooks/ci', body, { ...signed })
}

interface Fixed {
  pull_request_url: string
}

for (const { name, to } of [
  { name: 'a request was opened', to: /^POST .*\/pulls$/ },
  { name: 'somebody was asked for a review', to: /^POST .*\/requested_reviewers$/ },
]) {
  test(`kill -9 after ${name} and before that was heard: there is one request`, { timeout: 120_000 }, async t => {
    const { root, forge, start, first, model } = await setup(t, [mendMean('0')])
    const id = await killUnheard({ forge, first }, to, () => api<WireJob>(first, 'POST', '/fix', PUSHED_FIX))
    t.equal(forge.state.requests.length, 1)
    const second = await start()
    try {
      const job = await until<Fixed>(second.url, id, ({ status }) => status === 'succeeded')
      t.match(
        job,
        { status: 'succeeded', result: { pull_request_url: /\/remotes\/shop\/pull\/1$/ } },
        JSON.stringify(job),
      )
      t.equal(forge.state.requests.length, 1)
      t.equal(model.requests.length, 1, 'the model is not paid again')
      t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
    } finally {
      await second.end('SIGTERM')
    }
  })
}

for (const { name, behaviour } of [
  { name: 'before the remote took the push', behaviour: 'hold' },
  { name: 'after the remote took the push and before that was heard', behaviour: 'swallow' },
] as const) {
  test(`kill -9 ${name}: the branch is there once, with one request`, { timeout: 120_000 }, async t => {
    const { root, repository, remote, forge, start, first, model } = await setup(t, [mendMean('0')])
    const { promise: isUnderWay, resolve } = Promise.withResolvers<null>()
    remote.behaviour[behaviour] = () => resolve(null)
    const { id } = await api<WireJob>(first, 'POST', '/fix', PUSHED_FIX)
    const ended = await Promise.race([isUnderWay, until(first.url, id, ({ status }) => status === 'succeeded')])
    t.equal(ended, null, 'a push is under way')
    await first.end('SIGKILL')
    remote.behaviour[behaviour] = undefined
    t.same(forge.state.requests, [])
    const second = await start()
    try {
      const job = await until<Fixed & { branch: string; commit: string }>(
        second.url,
        id,
        ({ status }) => status === 'succeeded',
      )
      t.equal(job.status, 'succeeded', JSON.stringify(job.error))
      const { branch, commit } = job.result
      const there = repository.git('for-each-ref', '--format=%(objectname) %(refname:short)', 'refs/heads/faultline')
      t.equal(there.trim(), `${commit} ${branch}`)
      t.match(forge.state.requests, [{ head: branch }])
      t.equal(forge.state.requests.length, 1)
      t.equal(model.requests.length, 1, 'the model is not paid again')
      t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
    } finally {
      await second.end('SIGTERM')
    }
  })
}

test(
  'kill -9 after a comment was written and before that was heard: there is one, also when CI posts again',
  { timeout: 120_000 },
  async t => {
    const { forge, start, first } = await setup(t, [])
    const id = await killUnheard({ forge, first }, /^POST .*\/comments$/, () => postLog(first, 'delivery-1'))
    const second = await start()
    try {
      const job = await until(second.url, id, ({ status }) => status === 'succeeded')
      t.equal(job.status, 'succeeded', JSON.stringify(job.error))
      t.equal(forge.state.comments.length, 1)
      t.equal((await postLog(second, 'delivery-1')).id, id, 'a redelivery gives the first job')
      const { id: other } = await postLog(second, 'delivery-2')
      t.equal((await until(second.url, other, ({ status }) => status === 'succeeded')).status, 'succeeded')
      t.equal(forge.state.comments.length, 1)
      t.match(forge.state.comments, [{ number: 7, body: /^<!-- faultline shop -->\n[^]*ZeroDivisionError/ }])
      t.same(forge.violations, [])
    } finally {
      await second.end('SIGTERM')
    }
  },
)
