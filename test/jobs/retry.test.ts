import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { definition, openCloneJobs } from './fixture.ts'

test('retry makes a new job with the overrides and, from a step, without the steps before it', async t => {
  const calls: string[] = []
  const { jobs } = await openCloneJobs(t, async ({ step, input }) => {
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

test('a step that failed can be retried from, and what a kept step was made from cannot be changed', async t => {
  const { jobs } = await openCloneJobs(t, async () => ({}), {
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

test('a retry from a job that is deleted meanwhile is told so', async t => {
  const { jobs, errors } = await openCloneJobs(t, async ({ step, files }) => {
    await step('first', () => files.put(new Map(Array.from({ length: 50 }, (_, n) => [`f${n}`, `${n}`]))))
    return step('second', async () => ({}))
  })
  const { job } = await jobs.create('clone', {})
  await jobs.settled(job.id, 10_000)
  const retried = jobs.retry(job.id, {}, { fromStep: 'second' })
  await Promise.all([t.rejects(retried, { code: 'JOB_NOT_FOUND' }), jobs.remove(job.id)])
  t.same(errors, [])
})
