import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { WorkerLostError } from '../../../src/core/errors.ts'
import type { QueueHead } from '../../../src/jobs/store/job-store.ts'
import { openJobsDatabase } from '../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { type Run, definition, openCloneJobs, untilAborted } from '../fixture.ts'
import type { Jobs } from '../../../src/jobs/jobs.ts'
import { openJobs } from '../../helpers/open-jobs.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const QUESTION = { kind: 'clarification' as const, question: 'What?' }

test('jobs of one project run one after the other, those of others beside them', async t => {
  const order: string[] = []
  const gate = Promise.withResolvers<undefined>()
  const { jobs } = await openCloneJobs(t, async ({ input }) => {
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
  const { jobs } = await openCloneJobs(t, run, {
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

test('a page of queued jobs takes one look at the queue', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'counted.sqlite'))
  let looks = 0
  class CountedStore extends SqliteJobStore {
    override queued(): Promise<QueueHead[]> {
      looks++
      return super.queued()
    }
  }
  const run: Run = async ({ signal }) => untilAborted(signal)
  const { jobs } = await openCloneJobs(t, run, { store: new CountedStore(db), concurrency: 1 })
  t.teardown(async () => {
    await jobs.stop()
    db.close()
  })
  for (let i = 0; i < 20; i++) await jobs.create('clone', {})
  const page = await jobs.list({ status: 'queued' }, 100, null)
  t.same(
    page.map(({ queuePosition }) => queuePosition),
    Array.from({ length: 19 }, (_, i) => 18 - i),
  )
  t.equal(looks, 1)
})

test('a full queue refuses a job and says so', async t => {
  const { jobs } = await openCloneJobs(t, async ({ signal }) => untilAborted(signal), { concurrency: 1, queueLimit: 2 })
  for (let i = 0; i < 3; i++) await jobs.create('clone', {})
  await t.rejects(jobs.create('clone', {}), { code: 'QUEUE_FULL' })
})

test('while the disk is full progress is lost, nothing else: the end of the job is written when it can be', async t => {
  const gate = Promise.withResolvers<undefined>()
  const errors: unknown[] = []
  const { jobs, db } = await openCloneJobs(
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

test('a full queue refuses with the place a job would have had and when to come again; a reply still gets in', async t => {
  const gate = Promise.withResolvers<undefined>()
  const { jobs } = await openJobs(
    t,
    {
      generate: scriptedJob(async ({ ask }) => await ask('q', QUESTION)),
      task: scriptedJob(async () => {
        await gate.promise
      }),
    },
    { concurrency: 1, queueLimit: 2 },
  )
  const waiting = (await jobs.create('generate', {})).job.id
  await jobs.settled(waiting, 10_000)
  for (let i = 0; i < 3; i++) await jobs.create('task', {})
  await t.rejects(jobs.create('task', {}), { code: 'QUEUE_FULL', position: 3, retryAfterS: 1, message: /number 3/ })
  t.match(await jobs.reply(waiting, { answer: 'yes' }, null), { status: 'queued', queuePosition: 0 })
  gate.resolve(undefined)
  t.match(await jobs.settled(waiting, 10_000), { status: 'succeeded', result: { answer: 'yes' } })
})

test('a job whose process was lost goes on with the step that it was in, and fails when that does not help', async t => {
  const calls: string[] = []
  const { jobs, errors } = await openCloneJobs(t, async ({ input, step }) => {
    await step('first', async () => {
      calls.push(`${String(input.name)} first`)
      return null
    })
    return await step('second', async () => {
      calls.push(`${String(input.name)} second`)
      if (input.name === 'often' || calls.length === 2) throw new WorkerLostError({ cause: new Error('killed') })
      return {}
    })
  })
  const { id } = (await jobs.create('clone', { name: 'once' })).job
  t.equal((await jobs.settled(id, 10_000)).status, 'succeeded')
  t.same(calls.splice(0), ['once first', 'once second', 'once second'])
  t.match(
    (await jobs.events(id, 0)).find(({ data }) => data.status === 'queued' && data.message !== undefined)?.data.message,
    /begins again/,
  )
  const often = (await jobs.create('clone', { name: 'often' })).job
  t.match(await jobs.settled(often.id, 10_000), { status: 'failed', error: { code: 'INTERNAL', step: 'second' } })
  t.equal(calls.filter(call => call === 'often second').length, 4)
  t.ok(errors.length > 0, 'the log has it')
})

test('what a lost process left in a workspace is gone when the job runs again', async t => {
  const found: string[][] = []
  let id = ''
  const { jobs, root } = await openCloneJobs(t, async job => {
    const folder = join(root, 'workspaces', id)
    found.push(existsSync(folder) ? readdirSync(folder) : [])
    await job.workspace('build')
    if (found.length === 1) throw new WorkerLostError({ cause: new Error('killed') })
    return {}
  })
  id = (await jobs.create('clone', {})).job.id
  t.equal((await jobs.settled(id, 10_000)).status, 'succeeded')
  t.same(found, [[], []])
})

test('jobs that others wait for run beside them, however few may run', async t => {
  const { promise: made, resolve } = Promise.withResolvers<Jobs>()
  const begun: string[] = []
  const waiting = scriptedJob(async context => {
    begun.push('task')
    const jobs = await made
    const { job } = await jobs.create('environment', {})
    return { installed: (await jobs.settled(job.id, 10_000, context.signal)).status }
  })
  const environment = {
    ...scriptedJob(async () => {
      begun.push('environment')
      return {}
    }),
    isBeside: true,
  }
  const { jobs } = await openJobs(t, { task: waiting, environment }, { concurrency: 1 })
  resolve(jobs)
  const tasks = await Promise.all([1, 2].map(() => jobs.create('task', {})))
  for (const { job } of tasks) {
    t.match(await jobs.settled(job.id, 20_000), { status: 'succeeded', result: { installed: 'succeeded' } })
  }
  t.same(begun, ['task', 'environment', 'task', 'environment'], 'and are no way to run more of the others')
})
