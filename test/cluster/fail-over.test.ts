import { test, type Test } from 'tap'
import type { JobEvent, JsonObject } from '../../src/core/job.ts'
import { startNodes, type TestNode } from '../helpers/cluster.ts'
import { noPostgres, POSTGRES_VERSIONS, startPair } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const STEPS = ['first', 'second', 'third']
const JOBS = 6

/** A job that waits in its second step until the gate is open, and says when it is there. */
function gated() {
  const gate = Promise.withResolvers<undefined>()
  const inside = new Set<string>()
  const definition = scriptedJob(async ({ id, step }) => {
    await step('first', async () => 1)
    await step('second', async () => {
      inside.add(id)
      await gate.promise
      return 2
    })
    await step('third', async () => 3)
    return id
  })
  return { definition, inside, open: () => gate.resolve(undefined) }
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
