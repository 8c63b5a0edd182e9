import { test, type Test } from 'tap'
import type { JobEvent, JsonObject } from '../../src/core/job.ts'
import { startNodes, type TestNode } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, POSTGRES_VERSIONS, startPair } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'

const STEPS = ['first', 'second', 'third']
const JOBS = 6

/** A job that waits in its second step until the gate is open, and says when it is there. */
function gated() {
  const gate = Promise.withResolvers<undefined>()
  const inside = new Set<string>()
  const begun: string[] = []
  const definition = scriptedJob(async ({ id, step }) => {
    await step('first', async () => begun.push(`${id} first`))
    await step('second', async () => {
      begun.push(`${id} second`)
      inside.add(id)
      await gate.promise
      return 2
    })
    await step('third', async () => begun.push(`${id} third`))
    return id
  })
  return { definition, inside, begun, open: () => gate.resolve(undefined) }
}

/** Every step once, events without gaps, one end after all else. */
function checkEvents(t: Test, events: readonly JobEvent[]): void {
  t.same(
    events.map(({ id }) => id),
    events.map((_event, place) => place + 1),
    'events have no gaps',
  )
  const steps = events.filter(({ event }) => event === 'step').map(({ data }) => (data as JsonObject).step)
  t.same(steps, STEPS, 'every step is told of once')
  t.equal(events.filter(({ event }) => event === 'done').length, 1)
  t.equal(events.at(-1)?.event, 'done')
}

for (const version of POSTGRES_VERSIONS) {
  test(`a standby takes over, PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const pair = await startPair(version)
    t.teardown(() => pair.close())
    const { definition, inside, open } = gated()
    const definitions = { clone: definition }
    const env = { JOBS_CONCURRENCY: '2' }
    const [one, two] = (await startNodes(t, pair, {
      one: { definitions, env },
      two: { definitions, env },
    })) as [TestNode, TestNode]
    const made = await Array.fromAsync({ length: JOBS }, () => one.services.jobs.create('clone', {}))
    const ids = made.map(({ job }) => job.id)
    t.ok(await eventually(() => inside.size === 4), 'two jobs of each node are in the middle of a step')
    t.equal((await two.app.inject('/jobs')).json<{ data: unknown[] }>().data.length, JOBS)

    await pair.primary.crash()
    open()
    for (const { app } of [one, two]) {
      const refused = await app.inject(`/jobs/${ids[0]}`)
      t.match([refused.statusCode, refused.json()], [503, { code: 'DATABASE_UNAVAILABLE' }])
      t.ok(Number(refused.headers['retry-after']) >= 1)
      t.equal((await app.inject('/ready')).statusCode, 503)
    }

    await pair.promote()
    for (const { app } of [one, two]) {
      t.ok(await eventually(async () => (await app.inject(`/jobs/${ids[0]}`)).statusCode === 200))
      t.ok(await eventually(async () => (await app.inject('/ready')).statusCode === 200))
    }
    for (const id of ids) {
      t.match(await one.services.jobs.settled(id, 60_000), { status: 'succeeded', result: id })
      checkEvents(t, await two.services.jobs.events(id, 0))
    }
    const more = await two.services.jobs.create('clone', {})
    t.match(await one.services.jobs.settled(more.job.id, 60_000), { status: 'succeeded' }, 'jobs are made and done')
    t.equal(JSON.stringify((await one.app.inject('/cluster')).json()).match(/"alive":true/g)?.length, 2)
  })
}

test('a primary vanishes without a word', { skip: noPostgres(ANY_VERSION), timeout: 120_000 }, async t => {
  const pair = await startPair()
  t.teardown(() => pair.close())
  const proxies = await Promise.all([startTcpProxy(pair.primary.port), startTcpProxy(pair.primary.port)])
  t.teardown(() => Promise.all(proxies.map(proxy => proxy.close())))
  const [first, moving] = proxies
  const both = await pair.createDatabase()
  const behind = (proxy: { port: number }) => both.replace(`:${pair.primary.port},`, `:${proxy.port},`)
  const { definition, inside, begun, open } = gated()
  const definitions = { clone: definition }
  // whatever waits for an answer of the server that is gone would wait for an hour
  const env = { JOBS_CONCURRENCY: '2', DATABASE_STATEMENT_TIMEOUT_S: '3600' }
  const oneAddress = behind(moving).replace(/,[^/]*/, '')
  const [one, two] = (await startNodes(
    t,
    { createDatabase: async () => both },
    {
      one: { definitions, env: { ...env, DATABASE_URL: behind(first) } },
      two: { definitions, env: { ...env, DATABASE_URL: oneAddress } },
    },
  )) as [TestNode, TestNode]
  const made = await Array.fromAsync({ length: JOBS }, () => one.services.jobs.create('clone', {}))
  const ids = made.map(({ job }) => job.id)
  t.ok(await eventually(() => inside.size === 4), 'two jobs of each node are in the middle of a step')

  first.mode = 'swallow'
  moving.mode = 'swallow'
  await pair.primary.crash()
  open()
  await pair.promote()
  moving.to = pair.standby.port // its address moves to the standby; what was connected before stays silent
  moving.mode = 'pass'
  for (const { app } of [one, two]) {
    t.ok(await eventually(async () => (await app.inject(`/jobs/${ids[0]}`)).statusCode === 200))
    t.ok(await eventually(async () => (await app.inject('/ready')).statusCode === 200))
  }
  for (const id of ids) {
    t.match(await one.services.jobs.settled(id, 60_000), { status: 'succeeded', result: id })
    // a connection of before may still be in its pool, until it is cut
    let events: JobEvent[] = []
    const hears = async () => {
      events = await two.services.jobs.events(id, 0).catch(() => [])
      return events.length > 0
    }
    t.ok(await eventually(hears))
    checkEvents(t, events)
  }
  const again = begun.filter(step => !step.endsWith('second'))
  t.same(again.length, new Set(again).size, 'no step that had ended runs again')
})
