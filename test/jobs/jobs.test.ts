import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import type { JobEvent, JsonObject } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { JobDefinition } from '../../src/jobs/job-definition.ts'
import { eventually } from '../helpers/processes.ts'
import { openJobs as open } from '../helpers/open-jobs.ts'

type Run = (context: JobContext) => Promise<JsonObject>

function definition(run: Run): JobDefinition {
  return {
    run,
    exclusiveKey: input => (typeof input.project === 'string' ? `project:${input.project}` : null),
    projectName: input => (typeof input.project === 'string' ? input.project : null),
  }
}

function openJobs(t: Test, run: Run, options: Parameters<typeof open>[2] = {}) {
  return open(t, { clone: definition(run) }, options)
}

/** Resolves when the signal fires, as a step that is cut off does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

async function collect(events: AsyncIterable<JobEvent>): Promise<JobEvent[]> {
  const all: JobEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const never = new AbortController().signal

test('a job runs, stores its result and tells every change as a dense row of events', async t => {
  const { jobs } = await openJobs(t, async ({ step, progress, log }) => {
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

test('an expected failure keeps its code and step, a bug is logged and says INTERNAL', async t => {
  const { jobs, errors } = await openJobs(t, async ({ step, input }) => {
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

test('jobs of one project run one after the other, those of others beside them', async t => {
  const order: string[] = []
  const gate = Promise.withResolvers<undefined>()
  const { jobs } = await openJobs(t, async ({ input }) => {
    order.push(`start ${String(input.name)}`)
    if (input.project === 'shop') await gate.promise
    order.push(`end ${String(input.name)}`)
    return {}
  })
  const first = (await jobs.create('clone', { project: 'shop', name: 'a' })).job
  const second = (await jobs.create('clone', { project: 'shop', name: 'b' })).job
  t.equal((await jobs.get(second.id)).status, 'queued')
  const other = (await jobs.create('clone', { project: 'other', name: 'c' })).job
  await jobs.settled(other.id, 10_000)
  t.same(order, ['start a', 'start c', 'end c'])
  gate.resolve(undefined)
  await jobs.settled(first.id, 10_000)
  await jobs.settled(second.id, 10_000)
  t.same(order.slice(3), ['end a', 'start b', 'end b'])
})

test('a free slot goes to the project that runs the fewest jobs', async t => {
  const started: string[] = []
  const gate = Promise.withResolvers<undefined>()
  const run: Run = async ({ input }) => {
    started.push(String(input.name))
    await gate.promise
    return {}
  }
  const { jobs } = await openJobs(t, run, {
    concurrency: 2,
    definitions: { clone: { ...definition(run), exclusiveKey: () => null } },
  })
  const bodies = [
    ['a', 'big'],
    ['b', 'big'],
    ['c', 'big'],
    ['d', 'small'],
  ]
  const all = await Array.fromAsync(bodies, async ([name, project]) => {
    return (await jobs.create('clone', { name, project })).job
  })
  t.same(
    await Array.fromAsync(all, async job => (await jobs.get(job.id)).queuePosition),
    [null, null, 1, 0],
    'its turn, not its age',
  )
  gate.resolve(undefined)
  for (const job of all) await jobs.settled(job.id, 10_000)
  t.same(started, ['a', 'b', 'd', 'c'])
})

test('cancel ends a queued and a running job at once and fires the signal', async t => {
  let aborted = false
  const entered = Promise.withResolvers<undefined>()
  const { jobs } = await openJobs(
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
  const before = await openJobs(t, run)
  const { job } = await before.jobs.create('clone', {})
  await reached.promise
  await before.close()
  block = false
  const after = await openJobs(t, run, { root: before.root })
  const done = await after.jobs.settled(job.id, 10_000)
  t.match(done, { status: 'succeeded', result: { sum: 42 } })
  t.same(calls, ['first', 'second', 'second'])
})

test('a step that is cut off after it kept files finds, run again, what it found the first time', async t => {
  const kept = Promise.withResolvers<undefined>()
  let tries = 0
  const run: Run = async ({ step, files }) => {
    await step('write', () =>
      files.put(
        new Map([
          ['a', '1'],
          ['b', '1'],
        ]),
      ),
    )
    const version = await step('list', async () => files.list())
    await step('append', async signal => {
      await files.put(
        new Map<string, string | null>([
          ['a', `${(await files.read('a')).toString()}x`],
          ['b', null],
          ...(tries === 0 ? [['c', ''] as const] : []),
        ]),
      )
      if (tries++ > 0) return
      kept.resolve(undefined)
      await untilAborted(signal)
    })
    const [old] = version
    return {
      a: (await files.read('a')).toString(),
      paths: (await files.list()).map(({ path }) => path),
      old: old === undefined ? null : (await files.readVersion(old)).toString(),
    }
  }
  const first = await openJobs(t, run)
  const { job } = await first.jobs.create('clone', {})
  await kept.promise
  await first.close()
  const second = await openJobs(t, run, { root: first.root })
  t.same((await second.jobs.settled(job.id, 10_000)).result, { a: '1x', paths: ['a'], old: '1' })
  t.equal(tries, 2)
})

test('what a program prints is told in few events, in its order, all of it before the step is over', async t => {
  const { jobs } = await openJobs(t, async ({ step, log }) => {
    await step('run', async () => {
      for (let line = 0; line < 10_000; line++) log(`${line}\n`, 'stdout')
      log('failed\n', 'stderr')
      log('after\n', 'stdout')
    })
    return {}
  })
  const { job } = await jobs.create('clone', {})
  await jobs.settled(job.id, 10_000)
  const events = await collect(jobs.follow(job.id, 0, never))
  const logs = events.filter(({ event }) => event === 'log')
  t.equal(
    logs.map(({ data }) => data.text).join(''),
    `${Array.from({ length: 10_000 }, (_, line) => `${line}\n`).join('')}failed\nafter\n`,
  )
  t.same(
    logs.slice(-3).map(({ data }) => data.stream),
    ['stdout', 'stderr', 'stdout'],
  )
  t.ok(logs.length < 100, `${logs.length} events`)
  t.ok(events.indexOf(logs.at(-1) as JobEvent) < events.findIndex(({ data }) => data.finished === true))
})

test('the same idempotency key gives the same job, with another body it is refused, after a day it is new', async t => {
  let clock = new Date('2026-01-01T00:00:00Z')
  const { jobs } = await openJobs(t, async () => ({}), { now: () => clock })
  const idempotency = { key: 'k1', scope: 'POST /clone', bodySha256: 'aa' }
  const first = await jobs.create('clone', {}, { idempotency })
  t.match(await jobs.create('clone', {}, { idempotency }), { replayed: true, job: { id: first.job.id } })
  await t.rejects(jobs.create('clone', {}, { idempotency: { ...idempotency, bodySha256: 'bb' } }), {
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
  clock = new Date('2026-01-02T00:00:01Z')
  t.match(await jobs.create('clone', {}, { idempotency }), { replayed: false })
})

test('retry makes a new job with the overrides and, from a step, without the steps before it', async t => {
  const calls: string[] = []
  const { jobs } = await openJobs(t, async ({ step, input }) => {
    const base = await step('first', async () => {
      calls.push('first')
      return 1
    })
    return {
      value: await step('second', async () => {
        calls.push('second')
        return base + Number(input.add)
      }),
    }
  })
  const { job } = await jobs.create('clone', { add: 1 })
  await jobs.settled(job.id, 10_000)
  const again = (await jobs.retry(job.id, { add: 5 }, { fromStep: 'second' })).job
  t.match(await jobs.settled(again.id, 10_000), { retryOf: job.id, result: { value: 6 } })
  t.same(calls, ['first', 'second', 'second'])
  await t.rejects(jobs.retry(job.id, {}, { fromStep: 'third' }), { code: 'BAD_REQUEST', fix: /first, second/ })
})

test('a body is read as it was given, be it small, large, or packed by the caller with fields that were changed since', async t => {
  const seen: JsonObject[] = []
  const { jobs } = await openJobs(t, async ({ input }) => {
    seen.push(input)
    return {}
  })
  const log = `${'✓ passed "quoted" \\ \u001b[32m\n'.repeat(10_000)}\ud800`
  const sent = Buffer.from(JSON.stringify({ project: 'SHOP', log, commit: 'abc' }))
  const bodies: Array<[JsonObject, Parameters<typeof jobs.create>[2]?]> = [
    [{ project: 'shop', log: 'short' }],
    [{ project: 'shop', log }],
    [
      { project: 'shop', log: 'not this one', commit: 'abc' },
      { packed: { json: await jobs.pack(sent), fields: ['log'] } },
    ],
  ]
  for (const [body, options] of bodies) {
    const { job } = await jobs.create('clone', body, options)
    await jobs.settled(job.id, 10_000)
    t.same(seen.at(-1), await jobs.input(job.id))
    await jobs.settled((await jobs.retry(job.id, await jobs.input(job.id))).job.id, 10_000)
    t.same(seen.at(-1), await jobs.input(job.id))
  }
  t.same(
    seen.filter((_, index) => index % 2 === 0),
    [
      { project: 'shop', log: 'short' },
      { project: 'shop', log },
      { project: 'shop', log, commit: 'abc' },
    ],
  )
})

test('a full queue refuses a job and says so', async t => {
  const { jobs } = await openJobs(t, async ({ signal }) => untilAborted(signal), { concurrency: 1, queueLimit: 2 })
  for (let i = 0; i < 3; i++) await jobs.create('clone', {})
  await t.rejects(jobs.create('clone', {}), { code: 'QUEUE_FULL' })
})

test('only an ended job can be removed, and old ones are pruned', async t => {
  let clock = new Date('2026-01-01T00:00:00Z')
  const { jobs, close, root } = await openJobs(
    t,
    async ({ input, signal }) => (input.hang === true ? await untilAborted(signal) : {}),
    { now: () => clock },
  )
  const ended = (await jobs.create('clone', {})).job
  await jobs.settled(ended.id, 10_000)
  const hanging = (await jobs.create('clone', { hang: true })).job
  await t.rejects(jobs.remove(hanging.id), { code: 'JOB_NOT_FINISHED' })
  const other = (await jobs.create('clone', {})).job
  await jobs.settled(other.id, 10_000)
  await jobs.remove(other.id)
  await t.rejects(jobs.get(other.id), { code: 'JOB_NOT_FOUND' })
  await close()
  clock = new Date('2026-02-15T00:00:00Z')
  const next = await openJobs(t, async () => ({}), { now: () => clock, root })
  t.ok(await eventually(async () => (await next.jobs.list({}, 10, null)).every(({ id }) => id !== ended.id)))
  t.ok(await next.jobs.get(hanging.id))
})

test('a list is filtered and paged by the order of creation, newest first', async t => {
  const { jobs } = await openJobs(t, async () => ({}))
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

test('a live reader sees events as they happen', async t => {
  const gate = Promise.withResolvers<undefined>()
  const { jobs } = await openJobs(t, async ({ log }) => {
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
  const { jobs } = await openJobs(t, async ({ signal }) => await untilAborted(signal))
  const { job } = await jobs.create('clone', {})
  const leaving = new AbortController()
  for await (const { data } of jobs.follow(job.id, 0, leaving.signal)) {
    if (data.status === 'running') setImmediate(() => leaving.abort())
  }
  t.equal((await jobs.get(job.id)).status, 'running')
})

test('a step that failed can be retried from, and what a kept step was made from cannot be changed', async t => {
  const { jobs } = await openJobs(t, async () => ({}), {
    definitions: {
      clone: {
        ...definition(async ({ step, input }) => {
          await step('fetch', async () => 1)
          await step('index', async () => {
            if (input.include !== 'all') throw new FaultlineError('NOTHING_TO_INDEX', 'nothing')
            return 2
          })
          return {}
        }),
        consumes: { fetch: ['url'] },
      },
    },
  })
  const { job } = await jobs.create('clone', { url: 'a' })
  t.match(await jobs.settled(job.id, 10_000), { status: 'failed', error: { step: 'index' } })
  await t.rejects(jobs.retry(job.id, { url: 'b' }, { fromStep: 'index' }), {
    code: 'BAD_REQUEST',
    message: /"fetch" is not run again, so url/,
  })
  t.match(
    await jobs.settled((await jobs.retry(job.id, { url: 'a', include: 'all' }, { fromStep: 'index' })).job.id, 10_000),
    {
      status: 'succeeded',
    },
  )
  t.match(
    await jobs.settled((await jobs.retry(job.id, { url: 'b', include: 'all' }, { fromStep: 'fetch' })).job.id, 10_000),
    {
      status: 'succeeded',
    },
  )
})

test('a replay is answered although the queue is full', async t => {
  const { jobs } = await openJobs(t, async ({ signal }) => untilAborted(signal), { concurrency: 1, queueLimit: 1 })
  const idempotency = { key: 'k', scope: 's', bodySha256: 'aa' }
  const first = await jobs.create('clone', {}, { idempotency })
  await jobs.create('clone', {})
  await t.rejects(jobs.create('clone', {}), { code: 'QUEUE_FULL' })
  t.match(await jobs.create('clone', {}, { idempotency }), { replayed: true, job: { id: first.job.id } })
})

test('a cancelled job can be deleted at once', async t => {
  const { jobs } = await openJobs(t, async ({ signal }) => await untilAborted(signal))
  const { job } = await jobs.create('clone', {})
  await jobs.cancel(job.id)
  await jobs.remove(job.id)
  await t.rejects(jobs.get(job.id), { code: 'JOB_NOT_FOUND' })
})

test('while the disk is full progress is lost, nothing else: the end of the job is written when it can be', async t => {
  const gate = Promise.withResolvers<undefined>()
  const errors: unknown[] = []
  const { jobs, db } = await openJobs(
    t,
    async ({ progress }) => {
      await gate.promise
      progress({ step: 'x', done: 1, total: 1, message: 'x'.repeat(100_000) })
      return {}
    },
    {
      concurrency: 1,
      onError: error => {
        errors.push(error)
        db.exec('PRAGMA max_page_count = 1000000')
      }, // room again, once it was missed
    },
  )
  const { job } = await jobs.create('clone', {})
  db.exec('PRAGMA max_page_count = 1') // SQLite never goes below what is there
  gate.resolve(undefined)
  t.match(await jobs.settled(job.id, 10_000), { status: 'succeeded' })
  t.match(errors, [{ code: 'DISK_FULL' }])
})
