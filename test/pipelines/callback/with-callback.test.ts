import { test } from 'tap'
import { withCallback } from '../../../src/pipelines/callback/with-callback.ts'
import { openJobs } from '../../helpers/open-jobs.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'

const URL = 'https://ci.example.com/'

test('a job that waits tells nobody; it tells once how it ended, also when nobody replied in time', async t => {
  const told: Array<{ id: string; status: string; error: { code: string } | null }> = []
  const definition = withCallback(
    'generate',
    scriptedJob(async ({ ask }) => await ask('colour', { kind: 'clarification', question: 'Which?' })),
    async ({ body }) => {
      told.push(JSON.parse(body))
      return { delivered: true, status: 200, tries: 1 }
    },
  )
  let clock = new Date('2026-01-01T00:00:00Z')
  const first = await openJobs(t, { generate: definition }, { now: () => clock })
  const [answered, forgotten, cancelled] = (await Array.fromAsync(
    ['a', 'b', 'c'],
    async () => (await first.jobs.create('generate', { callback_url: URL })).job.id,
  )) as [string, string, string]
  for (const id of [answered, forgotten, cancelled]) {
    t.match(await first.jobs.settled(id, 10_000), { status: 'waiting' })
  }
  t.same(told, [])
  await first.jobs.reply(answered, { answer: 'green' }, null)
  t.match(await first.jobs.settled(answered, 10_000), { status: 'succeeded' })
  await first.jobs.cancel(cancelled)
  t.match(told, [{ id: answered, status: 'succeeded', error: null }])
  await first.close()
  clock = new Date('2026-01-09T00:00:00Z')
  const second = await openJobs(t, { generate: definition }, { now: () => clock, root: first.root })
  t.match(await second.jobs.settled(forgotten, 10_000), { status: 'failed' })
  t.match(told.slice(1), [{ id: forgotten, status: 'failed', error: { code: 'REPLY_TIMED_OUT' } }])
  t.equal(told.length, 2)
  await second.close()
  const third = await openJobs(t, { generate: definition }, { now: () => clock, root: first.root })
  const last = (await third.jobs.create('generate', {})).job.id
  t.match(await third.jobs.settled(last, 10_000), { status: 'waiting' }, 'whatever is left over would have run before')
  t.equal(told.length, 2, 'nothing is told again')
})
