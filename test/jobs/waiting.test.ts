import { test } from 'tap'
import { openJobs } from '../helpers/open-jobs.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const QUESTION = { kind: 'clarification' as const, question: 'What?' }

test(
  'a reply while the server stops counts after the restart; one after the time is over is told that the ' +
    'job has ended',
  async t => {
    let clock = new Date('2026-01-01T00:00:00Z')
    const run = scriptedJob(async ({ ask }) => await ask('q', QUESTION))
    const first = await openJobs(t, { generate: run }, { now: () => clock })
    const [answered, late] = [
      (await first.jobs.create('generate', {})).job.id,
      (await first.jobs.create('generate', {})).job.id,
    ]
    for (const id of [answered, late]) await first.jobs.settled(id, 10_000)
    const stopped = first.jobs.stop()
    t.match(await first.jobs.reply(answered, { answer: 'in the last moment' }, 'ada'), {
      status: 'queued',
      request: null,
    })
    await t.rejects(first.jobs.reply(answered, { answer: 'again' }, null), {
      code: 'NOT_WAITING',
      message: /is queued/,
      fix: /\?wait=60 answers when it asks/,
    })
    await stopped
    await first.close()
    clock = new Date('2026-01-08T00:00:01Z')
    const second = await openJobs(t, { generate: run }, { now: () => clock, root: first.root })
    await t.rejects(second.jobs.reply(late, { answer: 'too late' }, null), { code: 'NOT_WAITING' })
    t.match(await second.jobs.settled(answered, 10_000), {
      status: 'succeeded',
      result: { answer: 'in the last moment' },
    })
    t.match(await second.jobs.settled(late, 10_000), { status: 'failed', error: { code: 'REPLY_TIMED_OUT' } })
    await t.rejects(second.jobs.reply(late, { answer: 'too late' }, null), {
      code: 'NOT_WAITING',
      message: /is failed/,
      fix: /retry/,
    })
    t.match(
      (await second.jobs.transcript(answered)).entries.map(({ entry }) => entry.kind),
      ['question', 'answer'],
    )
  },
)
