import { test } from 'tap'
import { eventually } from '../helpers/processes.ts'
import { openCloneJobs, untilAborted } from './fixture.ts'
import { openJobs } from '../helpers/open-jobs.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

test('only an ended job can be removed, and old ones are pruned', async t => {
  let clock = new Date('2026-01-01T00:00:00Z')
  const { jobs, close, root } = await openCloneJobs(
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
  const next = await openCloneJobs(t, async () => ({}), { now: () => clock, root })
  t.ok(await eventually(async () => (await next.jobs.list({}, 10, null)).every(({ id }) => id !== ended.id)))
  t.ok(await next.jobs.get(hanging.id))
})

test('a cancelled job can be deleted at once', async t => {
  const { jobs } = await openCloneJobs(t, async ({ signal }) => await untilAborted(signal))
  const { job } = await jobs.create('clone', {})
  await jobs.cancel(job.id)
  await jobs.remove(job.id)
  await t.rejects(jobs.get(job.id), { code: 'JOB_NOT_FOUND' })
})

test('the oldest ended jobs go when jobs take more than they may, with their files', async t => {
  const run = scriptedJob(async ({ files }) => {
    await files.put(new Map([['data', crypto.getRandomValues(new Uint8Array(60_000))]]))
  })
  const first = await openJobs(t, { generate: run })
  const ids: string[] = []
  for (let i = 0; i < 40; i++) {
    ids.push((await first.jobs.create('generate', {})).job.id)
    await first.jobs.settled(ids[i] ?? '', 10_000)
  }
  await first.close()
  const second = await openJobs(t, { generate: run }, { root: first.root, retentionBytes: 1_400_000 })
  let removed = 0
  await eventually(async () => {
    removed = 40 - (await second.jobs.list({}, 200, null)).length
    return removed > 0 && (await second.jobs.usedBytes()) <= 1_400_000
  })
  t.ok(removed >= 10 && removed < 40, `${removed} are gone`)
  t.same(
    (await second.jobs.list({}, 200, null)).map(({ id }) => id),
    ids.slice(removed).reverse(),
    'the oldest',
  )
})
