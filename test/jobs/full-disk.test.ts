import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { Jobs } from '../../src/jobs/jobs.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { openJobs } from '../helpers/open-jobs.ts'

const USAGE = { llmCalls: 1, promptTokens: 10, completionTokens: 5, usd: null }
const QUICK = { retryMs: 5, waitMs: 60_000 }
const FULL = new FaultlineError('DISK_FULL', 'Full.')
const MANY_FILES = new Map(Array.from({ length: 200 }, (_, i) => [`${'folder/'.repeat(20)}${i}.txt`, 'x']))

/** A disk of a test: room for new work, and for the reply of a model. */
function diskOf({ isFull = false, isAlmostFull = false } = {}) {
  const disk = {
    isFull,
    isAlmostFull,
    refusal: async () => (disk.isFull ? FULL : null),
    requireForReply: async () => {
      if (disk.isAlmostFull) throw FULL
    },
  }
  return disk
}

/** Jobs whose database is full from `fill` on, and has room again once that was told of, or when the test says so. */
async function openFullJobs(
  t: Test,
  body: (job: JobContext, fill: () => void) => Promise<unknown>,
  options: Parameters<typeof openJobs>[2] & { isRoomMade?: boolean } = {},
) {
  const { isRoomMade = true, ...rest } = options
  const errors: unknown[] = []
  const database: { db: DatabaseSync | null } = { db: null }
  const makeRoom = () => database.db?.exec('PRAGMA max_page_count = 1000000')
  const fill = () => database.db?.exec('PRAGMA max_page_count = 1') // SQLite never goes below what is there
  const opened = await openJobs(
    t,
    { generate: scriptedJob(job => body(job, fill)) },
    {
      patience: QUICK,
      onError: error => {
        errors.push(error)
        if (isRoomMade) makeRoom()
      },
      ...rest,
    },
  )
  database.db = opened.db
  return { ...opened, errors, makeRoom, fill }
}

const runJob = async (jobs: Jobs) => jobs.settled((await jobs.create('generate', {})).job.id, 20_000)

test('what a job writes while the disk is full is written when there is room, and its step is not repeated', async t => {
  const large = 'x'.repeat(100_000)
  const reply = { kind: 'reply', model: 'm', text: randomBytes(100_000).toString('hex'), usage: USAGE } as const
  const writes: Record<string, (job: JobContext) => Promise<void>> = {
    'a reply that was paid for': job => job.record({ ...reply, finishReason: 'stop' }),
    'a diff': job => job.setDiff(large),
    'the names of files': job => job.files.put(MANY_FILES),
  }
  for (const [what, write] of Object.entries(writes)) {
    await t.test(what, async t => {
      let calls = 0
      const { jobs, errors } = await openFullJobs(t, async (job, fill) =>
        job.step('ask', async () => {
          calls++
          fill()
          await write(job)
          await job.addUsage(USAGE)
          return 'done'
        }),
      )
      t.match(await runJob(jobs), { status: 'succeeded', result: 'done', usage: USAGE })
      t.equal(calls, 1)
      t.match(errors, [{ code: 'DISK_FULL' }], 'the log has it, once')
    })
  }
})

test('the output of a step waits for room, too', async t => {
  let calls = 0
  const { jobs } = await openFullJobs(t, async (job, fill) => {
    const { length } = await job.step('ask', async () => {
      calls++
      fill()
      return 'x'.repeat(100_000)
    })
    return length
  })
  t.match(await runJob(jobs), { status: 'succeeded', result: 100_000 })
  t.equal(calls, 1)
})

test('a disk that stays full fails the job with DISK_FULL, and a retry goes on from there', async t => {
  const calls: string[] = []
  let filled = false
  const { jobs, makeRoom } = await openFullJobs(
    t,
    async (job, fill) => {
      await job.step('first', async () => calls.push('first'))
      await job.step('second', async () => {
        calls.push('second')
        if (!filled) fill()
        filled = true
        await job.setDiff('x'.repeat(100_000))
      })
      return 'done'
    },
    { patience: { retryMs: 1, waitMs: 0 }, isRoomMade: false },
  )
  const { id } = (await jobs.create('generate', {})).job
  const failed = await jobs.settled(id, 20_000)
  t.match(failed, { status: 'failed', error: { code: 'DISK_FULL', step: 'second', fix: /Free some space/ } })
  makeRoom()
  const { job } = await jobs.retry(id, {}, { fromStep: 'second' })
  t.match(await jobs.settled(job.id, 20_000), { status: 'succeeded', result: 'done' })
  t.same(calls, ['first', 'second', 'second'])
})

test('an error of a full disk that any tool throws fails the job with DISK_FULL, and is no bug', async t => {
  const { jobs, errors } = await openFullJobs(t, job =>
    job.step('unpack', async () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    }),
  )
  t.match(await runJob(jobs), { status: 'failed', error: { code: 'DISK_FULL', step: 'unpack', message: /full/ } })
  t.same(errors, [])
})

test('cancel and deletion end what waits for room', async t => {
  const waits = Promise.withResolvers<undefined>()
  const { jobs } = await openFullJobs(
    t,
    async (job, fill) => {
      fill()
      await job.setDiff('x'.repeat(100_000))
    },
    { isRoomMade: false, onError: () => waits.resolve(undefined) },
  )
  const { id } = (await jobs.create('generate', {})).job
  await waits.promise
  t.match(await jobs.cancel(id), { status: 'cancelled' })
  await jobs.remove(id)
  await t.rejects(jobs.get(id), { code: 'JOB_NOT_FOUND' })
})

test('new work is refused while the disk is full, what was made before is answered', async t => {
  const diskRoom = diskOf()
  const { jobs } = await openJobs(t, { generate: scriptedJob(async () => 1) }, { diskRoom })
  const idempotency = { key: 'k', scope: 's', bodySha256: 'aa' }
  const { job } = await jobs.create('generate', {}, { idempotency })
  await jobs.settled(job.id, 20_000)
  diskRoom.isFull = true
  await t.rejects(jobs.create('generate', {}), { code: 'DISK_FULL' })
  await t.rejects(jobs.retry(job.id, {}), { code: 'DISK_FULL' })
  t.match(await jobs.create('generate', {}, { idempotency }), { replayed: true, job: { id: job.id } })
  t.equal((await jobs.list({}, 10, null)).length, 1)
})

test('a retry from a step has the files of the steps before, and one that is refused leaves no folder', async t => {
  const diskRoom = diskOf()
  const run = scriptedJob(async ({ step, files }) => {
    await step('first', () => files.put(new Map([['a.txt', 'kept']])))
    return step('second', async () => String(await files.read('a.txt')))
  })
  const { jobs, root } = await openJobs(t, { generate: run }, { diskRoom })
  const { id } = (await jobs.create('generate', {})).job
  await jobs.settled(id, 20_000)
  const again = (await jobs.retry(id, {}, { fromStep: 'second' })).job.id
  t.match(await jobs.settled(again, 20_000), { status: 'succeeded', result: 'kept' })
  diskRoom.isFull = true
  await t.rejects(jobs.retry(id, {}, { fromStep: 'second' }), { code: 'DISK_FULL' })
  t.same(readdirSync(join(root, 'workspaces')).toSorted(), [id, again].toSorted())
})

test('a queued job begins when there is room', async t => {
  const diskRoom = diskOf()
  const gate = Promise.withResolvers<undefined>()
  const { jobs } = await openJobs(t, { generate: scriptedJob(() => gate.promise) }, { diskRoom, concurrency: 1 })
  const first = (await jobs.create('generate', {})).job.id
  const second = (await jobs.create('generate', {})).job.id
  diskRoom.isFull = true
  gate.resolve(undefined)
  t.match(await jobs.settled(first, 20_000), { status: 'succeeded' }, 'what runs goes on')
  t.match(await jobs.get(second), { status: 'queued', queuePosition: 0 })
  diskRoom.isFull = false
  t.match(await jobs.settled(second, 20_000), { status: 'succeeded' })
})

test('a model is not asked while its reply could not be kept', async t => {
  const diskRoom = diskOf({ isAlmostFull: true })
  let asked = 0
  const { jobs, errors } = await openFullJobs(
    t,
    async job => {
      await job.waitForRoom()
      return ++asked
    },
    {
      diskRoom,
      onError: () => {
        t.equal(asked, 0)
        diskRoom.isAlmostFull = false
      },
    },
  )
  t.match(await runJob(jobs), { status: 'succeeded', result: 1 })
  diskRoom.isAlmostFull = true
  const impatient = await openJobs(
    t,
    { generate: scriptedJob(job => job.waitForRoom()) },
    { diskRoom, patience: { retryMs: 1, waitMs: 0 } },
  )
  t.match(await runJob(impatient.jobs), { status: 'failed', error: { code: 'DISK_FULL' } })
  t.same(errors, [])
})
