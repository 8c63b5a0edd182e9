import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import { test } from 'tap'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { eventually } from '../helpers/processes.ts'
import { openJobs } from '../helpers/open-jobs.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { QUESTION, threeCalls } from './three-calls.ts'

test('a job that nobody answers fails after its time, through its body, so that its callback is told', async t => {
  let clock = new Date('2026-01-01T00:00:00Z')
  const seen: unknown[] = []
  const run = async (context: JobContext) => {
    try {
      return context.input.spend === true ? await threeCalls(context) : await context.ask('q', QUESTION)
    } catch (error) {
      if (!context.signal.aborted) seen.push(error)
      throw error
    }
  }
  const options = { now: () => clock, replyTimeoutDays: 7 }
  const first = await openJobs(t, { generate: scriptedJob(run) }, options)
  const asked = (await first.jobs.create('generate', {})).job.id
  const spent = (await first.jobs.create('generate', { spend: true, budget: { tokens: 10 } })).job.id
  for (const id of [asked, spent]) t.match(await first.jobs.settled(id, 10_000), { status: 'waiting' })
  await first.close()
  clock = new Date('2026-01-07T23:59:59Z')
  const second = await openJobs(t, { generate: scriptedJob(run) }, { ...options, root: first.root })
  t.match(await second.jobs.get(asked), { status: 'waiting' })
  await second.close()
  clock = new Date('2026-01-08T00:00:00Z')
  const third = await openJobs(t, { generate: scriptedJob(run) }, { ...options, root: first.root })
  for (const id of [asked, spent]) {
    t.match(await third.jobs.settled(id, 10_000), {
      status: 'failed',
      error: { code: 'REPLY_TIMED_OUT', message: /2026-01-01/ },
    })
  }
  t.match(seen, [{ code: 'REPLY_TIMED_OUT' }, { code: 'REPLY_TIMED_OUT' }])
  const again = (await third.jobs.retry(asked, {})).job.id
  t.match(await third.jobs.settled(again, 10_000), { status: 'waiting' }, 'a retry asks anew')
})

test('a folder of workspaces that cannot be swept is told of, and jobs run all the same', async t => {
  const root = testFolder(t)
  writeFileSync(join(root, 'workspaces'), 'no folder')
  const { jobs, errors } = await openJobs(t, { generate: scriptedJob(async () => {}) }, { root })
  const { id } = (await jobs.create('generate', {})).job
  t.match(await jobs.settled(id, 10_000), { status: 'succeeded' })
  t.match(errors[0], { code: 'EEXIST', syscall: 'mkdir' })
})

test('a wait that ends while the server runs is ended within a minute, and by no server that has stopped', async t => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  let clock = new Date('2026-01-01T00:00:00Z')
  const run = scriptedJob(context => context.ask('q', QUESTION))
  const { jobs, errors } = await openJobs(t, { generate: run }, { now: () => clock, replyTimeoutDays: 7 })
  const asked = (await jobs.create('generate', {})).job.id
  t.match(await jobs.settled(asked, 10_000), { status: 'waiting' })
  clock = new Date('2026-01-02T00:00:00Z')
  const late = (await jobs.create('generate', {})).job.id
  t.match(await jobs.settled(late, 10_000), { status: 'waiting' })
  clock = new Date('2026-01-08T00:00:00Z')
  mock.timers.tick(60_000)
  t.ok(await eventually(async () => (await jobs.get(asked)).status === 'failed'))
  t.match(await jobs.get(asked), { error: { code: 'REPLY_TIMED_OUT' } })
  await jobs.stop()
  clock = new Date('2026-01-09T00:00:00Z')
  mock.timers.tick(60_000)
  await new Promise<void>(resolve => setImmediate(resolve))
  t.match(await jobs.get(late), { status: 'waiting' })
  t.same(errors, [])
})
