import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'tap'
import type { Usage } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { eventually } from '../helpers/processes.ts'
import { openJobs } from '../helpers/open-jobs.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const CALL: Usage = { llmCalls: 1, promptTokens: 60, completionTokens: 40, usd: 0.5 }
const QUESTION = { kind: 'clarification' as const, question: 'What?' }

/** Calls a "model" three times, each call a step. */
async function threeCalls({ step, checkBudget, addUsage, token }: JobContext): Promise<number> {
  for (let call = 0; call < 3; call++) {
    await step('call', async () => {
      await checkBudget()
      await addUsage(CALL)
      token('x')
      await wait(1)
    })
  }
  return 3
}

test('a job whose budget is used up waits before the next call, and goes on when a reply raises it', async t => {
  const { jobs } = await openJobs(t, { generate: scriptedJob(threeCalls) })
  const { id } = (await jobs.create('generate', { budget: { tokens: 100 } })).job
  t.match(await jobs.settled(id, 10_000), {
    status: 'waiting',
    budget: { tokens: 100 },
    request: { kind: 'budget', spent: { tokens: 100, usd: 0.5 }, limit: { tokens: 100 } },
    usage: { llmCalls: 1 },
  })
  await t.rejects(jobs.reply(id, { decision: 'approve' }, null), { code: 'WRONG_REPLY' })
  await jobs.reply(id, { budget: { tokens: 150 } }, null)
  t.match(await jobs.settled(id, 10_000), {
    status: 'waiting',
    request: { spent: { tokens: 200 } },
    budget: { tokens: 150 },
  })
  await jobs.reply(id, { budget: { tokens: 1000, seconds: 60 } }, 'ada')
  t.match(await jobs.settled(id, 10_000), {
    status: 'succeeded',
    result: 3,
    usage: { llmCalls: 3, usd: 1.5 },
    budget: { tokens: 1000, seconds: 60 },
  })
  t.match((await jobs.transcript(id)).entries.at(-1), {
    step: 'budget',
    entry: { kind: 'answer', keyName: 'ada', reply: { budget: { tokens: 1000 } } },
  })
})

test('a budget that is used up already is refused and the job goes on waiting; nothing else answers it', async t => {
  const { jobs } = await openJobs(t, { generate: scriptedJob(threeCalls) })
  const { id } = (await jobs.create('generate', { budget: { tokens: 100, seconds: 60 } })).job
  await jobs.settled(id, 10_000)
  const events = (await jobs.events(id, 0)).length
  for (const budget of [{ tokens: 50 }, { tokens: 100 }, { seconds: 600 }]) {
    await t.rejects(
      jobs.reply(id, { budget }, null),
      { code: 'WRONG_REPLY', message: /has spent .*"tokens":100/, fix: /above what was spent, or POST .*cancel/ },
      JSON.stringify(budget),
    )
  }
  await t.rejects(jobs.reply(id, { budget: {} }, null), { code: 'WRONG_REPLY', fix: /"tokens": …/ })
  await t.rejects(jobs.reply(id, { budget: { usd: 5 } }, null), { code: 'VALIDATION_FAILED' }, 'no prices are known')
  for (const body of [{ answer: '' }, { decision: 'approve' }] as const) {
    await t.rejects(
      jobs.reply(id, body, null),
      { code: 'WRONG_REPLY', fix: /^Send \{"budget".*cancel\.$/ },
      JSON.stringify(body),
    )
  }
  t.match(await jobs.get(id), { status: 'waiting', budget: { tokens: 100, seconds: 60 } })
  t.equal((await jobs.events(id, 0)).length, events, 'nothing happened')
  t.same((await jobs.transcript(id)).entries, [])
  await jobs.reply(id, { budget: { tokens: 101 } }, null)
  t.match(await jobs.settled(id, 10_000), { status: 'waiting', request: { spent: { tokens: 200 } } }, 'one more call')
})

test('a retry of a job whose budget nobody raised asks again when its own is used up', async t => {
  let clock = new Date('2026-01-01T00:00:00Z')
  const first = await openJobs(t, { generate: scriptedJob(threeCalls) }, { now: () => clock })
  const { id } = (await first.jobs.create('generate', { budget: { tokens: 100 } })).job
  await first.jobs.settled(id, 10_000)
  await first.close()
  clock = new Date('2026-01-09T00:00:00Z')
  const { jobs } = await openJobs(t, { generate: scriptedJob(threeCalls) }, { now: () => clock, root: first.root })
  t.match(await jobs.settled(id, 10_000), { status: 'failed', error: { code: 'REPLY_TIMED_OUT', step: 'call:1' } })
  const again = (await jobs.retry(id, { budget: { tokens: 100 } }, { fromStep: 'call:1' })).job.id
  t.match(await jobs.settled(again, 10_000), { status: 'waiting', request: { kind: 'budget', spent: { tokens: 100 } } })
  await jobs.reply(again, { budget: { tokens: 1000 } }, null)
  t.match(
    await jobs.settled(again, 10_000),
    { status: 'succeeded', usage: { llmCalls: 2 } },
    'the first call was not made again',
  )
  await t.rejects(jobs.retry(id, {}, { fromStep: 'budget' }), {
    code: 'BAD_REQUEST',
    fix: 'Its steps are: call, call:1.',
  })
})

test('a reply while the server stops counts after the restart; one after the time is over is told that the job has ended', async t => {
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
  await t.rejects(first.jobs.reply(answered, { answer: 'again' }, null), { code: 'NOT_WAITING' })
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
})

test('seconds count what a job ran, over its waits; dollars need prices', async t => {
  const { jobs } = await openJobs(t, {
    generate: scriptedJob(async ({ step, ask, checkBudget }) => {
      await step('work', () => wait(150))
      await ask('q', QUESTION)
      await checkBudget()
      return 'done'
    }),
  })
  const slow = (await jobs.create('generate', { budget: { seconds: 0.1 } })).job.id
  await jobs.settled(slow, 10_000)
  await jobs.reply(slow, { skip: true }, null)
  t.match(await jobs.settled(slow, 10_000), { status: 'waiting', request: { kind: 'budget', limit: { seconds: 0.1 } } })
  const quick = (await jobs.create('generate', { budget: { seconds: 5 } })).job.id
  await jobs.settled(quick, 10_000)
  await wait(30)
  await jobs.reply(quick, { skip: true }, null)
  t.match(await jobs.settled(quick, 10_000), { status: 'succeeded' })
  await t.rejects(jobs.create('generate', { budget: { usd: 1 } }), { code: 'VALIDATION_FAILED', message: /no prices/ })
})

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

test('tokens come as events, several together, none lost, none after the end', async t => {
  const { jobs } = await openJobs(t, {
    generate: scriptedJob(async ({ token, log, step }) => {
      await step('say', async () => {
        for (let i = 0; i < 2_000; i++) token(`${i} `)
        log('between')
        token('last')
        setTimeout(() => token('too late'), 60)
      })
    }),
  })
  const { id } = (await jobs.create('generate', {})).job
  await jobs.settled(id, 10_000)
  await wait(120)
  const events = await jobs.events(id, 0)
  const texts = events.filter(({ event }) => event === 'token').map(({ data }) => String(data.text))
  t.equal(texts.join(''), `${Array.from({ length: 2_000 }, (_, i) => `${i} `).join('')}last`)
  t.ok(texts.length < 10)
  t.same(
    events
      .map(event => (event.event === 'log' || event.event === 'token' ? event.event : ''))
      .join(' ')
      .trim()
      .replace(/(token )+/g, 'token '),
    'token log token',
  )
  t.equal(events.at(-1)?.event, 'done')
})
