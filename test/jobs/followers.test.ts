import { test } from 'tap'
import { collect, never, openCloneJobs, untilAborted } from './fixture.ts'

test('a live reader sees events as they happen', async t => {
  const gate = Promise.withResolvers<undefined>()
  const { jobs } = await openCloneJobs(t, async ({ log }) => {
    await gate.promise
    log('now')
    return {}
  })
  const { job } = await jobs.create('clone', {})
  const seen: string[] = []
  for await (const { event, data } of jobs.follow(job.id, 0, never)) {
    seen.push(event)
    if (data.status === 'running') gate.resolve(undefined)
  }
  t.same(seen, ['status', 'status', 'log', 'status', 'done'])
})

test('a live reader who leaves is let go while nothing happens', async t => {
  const { jobs } = await openCloneJobs(t, async ({ signal }) => await untilAborted(signal))
  const { job } = await jobs.create('clone', {})
  const leaving = new AbortController()
  for await (const { data } of jobs.follow(job.id, 0, leaving.signal)) {
    if (data.status === 'running') setImmediate(() => leaving.abort())
  }
  t.equal((await jobs.get(job.id)).status, 'running')
})

test('a reader who comes late is given all events, more than are read at once', async t => {
  const { jobs } = await openCloneJobs(t, async ({ progress }) => {
    for (let done = 0; done < 230; done++) progress({ step: `${done}`, done, total: null, message: 'works' })
    return {}
  })
  const { job } = await jobs.create('clone', {})
  await jobs.settled(job.id, 10_000)
  const seen = await collect(jobs.follow(job.id, 0, never))
  t.equal(seen.at(-1)?.event, 'done')
  t.same(
    seen.filter(({ event, data }) => event === 'step' && data.done !== undefined).map(({ data }) => data.done),
    Array.from({ length: 230 }, (_, done) => done),
  )
})
