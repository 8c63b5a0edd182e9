import { test } from 'tap'
import { readEvents } from '../../src/cli/backend/sse.ts'
import { signWebhook } from '../../src/core/webhook.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { cloneShopFor, startNodes } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const SECRET = 'the secret of the ci'
const ROUNDS = 10
const STEPS = 40

test('two nodes over one database are one server', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())

  await t.test('a request that comes to both at once makes one job, and so does a webhook', async t => {
    const from = await cloneShopFor(t, ['shop'])
    // nothing is forwarded: each of them makes the job itself
    const env = { WEBHOOK_SECRETS: `ci=${SECRET}`, CLUSTER_SECRET: '' }
    const nodes = await startNodes(t, server, { one: { from, env }, two: { from, env } })
    const atOnce = async (send: (node: (typeof nodes)[number]) => Promise<{ body: string; statusCode: number }>) => {
      const answers = await Promise.all([...nodes, ...nodes].map(send))
      return answers.map(({ body, statusCode }) => ({ id: (JSON.parse(body) as { id: string }).id, statusCode }))
    }
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await atOnce(({ app }) =>
        app.inject({
          method: 'POST',
          url: '/resolve',
          headers: { prefer: 'respond-async', 'idempotency-key': `key-${round}` },
          body: { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' },
        }),
      )
      t.equal(new Set(answers.map(({ id }) => id)).size, 1, JSON.stringify(answers))
    }
    for (let round = 0; round < ROUNDS; round++) {
      const payload = JSON.stringify({ project_name: 'shop', log: SHOP_TRACE })
      const signed = signWebhook({
        id: `delivery-${round}`,
        body: payload,
        keys: [Buffer.from(SECRET)],
        now: new Date(),
      })
      const headers = { 'content-type': 'application/json', ...signed }
      const answers = await atOnce(({ app }) =>
        app.inject({ method: 'POST', url: '/webhooks/ci', headers: { ...headers }, payload }),
      )
      t.equal(new Set(answers.map(({ id }) => id)).size, 1, JSON.stringify(answers))
      t.same(answers.map(({ statusCode }) => statusCode).toSorted(), [200, 200, 200, 202])
    }
    const listed = await Promise.all(nodes.map(({ app }) => app.inject('/jobs?limit=200')))
    for (const { body } of listed) t.equal((JSON.parse(body) as { data: unknown[] }).data.length, 2 * ROUNDS)
  })

  await t.test('a stream that begins on one node and goes on on another has every event once', async t => {
    const isHalf = Promise.withResolvers<undefined>()
    const mayGoOn = Promise.withResolvers<undefined>()
    const run = async ({ step }: JobContext) => {
      for (let at = 0; at < STEPS; at++) {
        await step(`step-${at}`, async () => at)
        if (at !== STEPS / 2) continue
        isHalf.resolve(undefined)
        await mayGoOn.promise
      }
      return {}
    }
    const definitions = { generate: scriptedJob(run) }
    // the second node runs no jobs: it hears of them alone
    const nodes = await startNodes(t, server, { one: { definitions }, two: { definitions, env: { ROLE: 'http' } } })
    const [one, two] = nodes
    if (one === undefined || two === undefined) throw new Error('no node')
    const { job } = await two.services.jobs.create('generate', {})
    const open = (url: string, after: number, signal?: AbortSignal) =>
      fetch(`${url}/jobs/${job.id}/events`, {
        headers: { accept: 'text/event-stream', 'last-event-id': String(after) },
        signal,
      })
    const ids: number[] = []
    const leave = new AbortController()
    const first = await open(one.url, 0, leave.signal)
    if (first.body === null) throw new Error('no stream')
    for await (const { id } of readEvents(first.body)) {
      ids.push(Number(id))
      if (ids.length === 10) break
    }
    leave.abort()
    await isHalf.promise
    const second = await open(two.url, ids.at(-1) ?? 0)
    if (second.body === null) throw new Error('no stream')
    const waiting = two.app.inject(`/jobs/${job.id}?wait=60`)
    mayGoOn.resolve(undefined)
    for await (const { id } of readEvents(second.body)) ids.push(Number(id))
    const { data } = (await one.app.inject(`/jobs/${job.id}/events`)).json() as { data: Array<{ id: number }> }
    t.ok(data.length > STEPS)
    t.same(
      ids,
      data.map(({ id }) => id),
    )
    t.same(
      ids,
      ids.map((_id, at) => at + 1),
    )
    t.match((await waiting).json(), { status: 'succeeded' }, 'who waits on another node hears of it, too')
  })
})

test('nodes whose database is away say so, and answer what they can', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres(ANY_VERSION, { durable: true })
  t.teardown(() => server.close())
  const from = await cloneShopFor(t, ['shop'])
  const nodes = await startNodes(t, server, { one: { from }, two: { from } })
  const ready = ({ app }: (typeof nodes)[number]) => app.inject('/ready')
  for (const node of nodes) t.match((await ready(node)).json(), { ready: true, database: { status: 'ok' } })
  await server.crash()
  for (const node of nodes) {
    const res = await ready(node)
    t.equal(res.statusCode, 503)
    t.match(res.json(), { ready: false, database: { status: 'unavailable' }, git: { available: true } })
    const answer = await node.app.inject({
      method: 'POST',
      url: '/resolve',
      body: { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' },
    })
    t.match(answer.json(), { project_name: 'shop', frames: [{}] })
    t.match((await node.app.inject('/cluster')).json(), { status: 503, code: 'DATABASE_UNAVAILABLE' })
  }
  await server.start()
  for (const node of nodes) {
    t.ok(await eventually(async () => (await ready(node)).statusCode === 200), 'they come back by themselves')
  }
})
