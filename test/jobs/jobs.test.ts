import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { type Run, collect, never, openCloneJobs, untilAborted } from './fixture.ts'

test('a job runs, stores its result and tells every change as a dense row of events', async t => {
  const { jobs } = await openCloneJobs(t, async ({ step, progress, log }) => {
    progress({ step: 'files', done: 1, total: 2, message: 'files 1/2' })
    log('halfway')
    progress({ step: 'files', done: 2, total: 2, message: 'files 2/2' })
    return { sum: await step('add', async () => 3) }
  })
  const { job } = await jobs.create('clone', {})
  const done = await jobs.settled(job.id, 10_000)
  t.match(done, { status: 'succeeded', result: { sum: 3 }, error: null, progress: { done: 2 } })
  const events = await collect(jobs.follow(job.id, 0, never))
  t.same(
    events.map(event => event.id),
    events.map((_, index) => index + 1),
  )
  t.same(
    events.map(event => event.event),
    ['status', 'status', 'step', 'log', 'step', 'step', 'status', 'done'],
  )
  t.same(
    (await collect(jobs.follow(job.id, 6, never))).map(event => event.id),
    [7, 8],
    'a reader resumes after the last event it saw',
  )
})

test('a reader is told how much there still is, and nothing of a job that is gone', async t => {
  const { jobs } = await openCloneJobs(t, async () => ({}))
  const { job } = await jobs.create('clone', {})
  await jobs.settled(job.id, 10_000)
  const last = await jobs.lastEvent(job.id)
  const all = await jobs.eventsAfter(job.id, 0)
  t.equal(all.events, last)
  t.ok(all.chars > 0)
  t.equal((await jobs.eventsAfter(job.id, last - 1)).events, 1)
  t.same(await jobs.eventsAfter(job.id, last), { events: 0, chars: 0 })
  t.same(await jobs.eventsAfter('job_nothing', 0), { events: 0, chars: 0 })
})

test('an expected failure keeps its code and step, a bug is logged and says INTERNAL', async t => {
  const { jobs, errors } = await openCloneJobs(t, async ({ step, input }) => {
    await step('fetch', async () => {
      throw input.bug === true
        ? new TypeError('secret detail')
        : new FaultlineError('BRANCH_NOT_FOUND', 'no branch "x"', 'name another')
    })
    return {}
  })
  const expected = await jobs.settled((await jobs.create('clone', {})).job.id, 10_000)
  t.match(expected, { status: 'failed', error: { code: 'BRANCH_NOT_FOUND', step: 'fetch', fix: 'name another' } })
  t.equal(errors.length, 0)
  const bug = await jobs.settled((await jobs.create('clone', { bug: true })).job.id, 10_000)
  t.match(bug, { status: 'failed', error: { code: 'INTERNAL', step: 'fetch' } })
  t.notMatch(bug.error?.message, /secret detail/)
  t.equal(errors.length, 1)
})

test('cancel ends a queued and a running job at once and fires the signal', async t => {
  let aborted = false
  const entered = Promise.withResolvers<undefined>()
  const { jobs } = await openCloneJobs(
    t,
    async ({ step }) => {
      await step('fetch', async signal => {
        entered.resolve(undefined)
        try {
          await untilAborted(signal)
        } finally {
          aborted = true
        }
        return null
      })
      return {}
    },
    { concurrency: 1 },
  )
  const running = (await jobs.create('clone', {})).job
  const queued = (await jobs.create('clone', {})).job
  await entered.promise
  t.equal((await jobs.cancel(queued.id)).status, 'cancelled')
  t.equal((await jobs.cancel(running.id)).status, 'cancelled')
  await jobs.stop()
  t.ok(aborted)
  t.equal((await jobs.get(running.id)).status, 'cancelled', 'the end of the run does not change it')
  await t.rejects(jobs.cancel(running.id), { code: 'JOB_FINISHED' })
})

test('`done` is the last event of a job that is cancelled while its body writes', async t => {
  const entered = Promise.withResolvers<undefined>()
  const cancelled = Promise.withResolvers<undefined>()
  const { jobs, errors } = await openCloneJobs(t, async ({ log, step }) => {
    entered.resolve(undefined)
    await cancelled.promise
    for (let line = 0; line < 20; line++) log(`line ${line}`)
    await step('fetch', async () => null)
    return {}
  })
  const { job } = await jobs.create('clone', {})
  await entered.promise
  const answer = jobs.cancel(job.id)
  cancelled.resolve(undefined)
  await answer
  await jobs.stop()
  t.equal((await jobs.events(job.id, 0)).at(-1)?.event, 'done')
  t.same(errors, [])
})

test('a stopped server leaves its running jobs queued; the next one goes on without repeating finished steps', async t => {
  const calls: string[] = []
  let block = true
  const reached = Promise.withResolvers<undefined>()
  const run: Run = async ({ step }) => {
    const first = await step('first', async () => {
      calls.push('first')
      return 20
    })
    const second = await step('second', async signal => {
      calls.push('second')
      if (block) {
        reached.resolve(undefined)
        await untilAborted(signal)
      }
      return 22
    })
    return { sum: first + second }
  }
  const before = await openCloneJobs(t, run)
  const { job } = await before.jobs.create('clone', {})
  await reached.promise
  await before.close()
  block = false
  const after = await openCloneJobs(t, run, { root: before.root })
  const done = await after.jobs.settled(job.id, 10_000)
  t.match(done, { status: 'succeeded', result: { sum: 42 } })
  t.same(calls, ['first', 'second', 'second'])
})

test('the same idempotency key gives the same job, with another body it is refused, after a day it is new', async t => {
  let clock = new Date('2026-01-01T00:00:00Z')
  const { jobs } = await openCloneJobs(t, async () => ({}), { now: () => clock })
  const idempotency = { key: 'k1', scope: 'POST /clone', bodySha256: 'aa' }
  const first = await jobs.create('clone', {}, { idempotency })
  t.match(await jobs.create('clone', {}, { idempotency }), { replayed: true, job: { id: first.job.id } })
  await t.rejects(jobs.create('clone', {}, { idempotency: { ...idempotency, bodySha256: 'bb' } }), {
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
  clock = new Date('2026-01-02T00:00:01Z')
  t.match(await jobs.create('clone', {}, { idempotency }), { replayed: false })
})

test('a list is filtered and paged by the order of creation, newest first', async t => {
  const { jobs } = await openCloneJobs(t, async () => ({}))
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push((await jobs.create('clone', { project: i % 2 === 0 ? 'Even' : 'odd' })).job.id)
  const firstPage = await jobs.list({}, 2, null)
  t.same(
    firstPage.map(job => job.id),
    [ids[4], ids[3]],
  )
  t.same(
    (await jobs.list({}, 2, firstPage[1]?.seq ?? null)).map(job => job.id),
    [ids[2], ids[1]],
  )
  t.same(
    (await jobs.list({ projectName: 'even' }, 10, null)).map(job => job.id),
    [ids[4], ids[2], ids[0]],
  )
  t.same(await jobs.list({ type: 'resolve' }, 10, null), [])
})

test('a replay is answered although the queue is full', async t => {
  const { jobs } = await openCloneJobs(t, async ({ signal }) => untilAborted(signal), { concurrency: 1, queueLimit: 1 })
  const idempotency = { key: 'k', scope: 's', bodySha256: 'aa' }
  const first = await jobs.create('clone', {}, { idempotency })
  await jobs.create('clone', {})
  await t.rejects(jobs.create('clone', {}), { code: 'QUEUE_FULL' })
  t.match(await jobs.create('clone', {}, { idempotency }), { replayed: true, job: { id: first.job.id } })
})
