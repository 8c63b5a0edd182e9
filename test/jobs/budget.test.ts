import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'tap'
import { isExhausted, spentOf } from '../../src/jobs/budget.ts'
import { openJobs } from '../helpers/open-jobs.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { QUESTION, threeCalls } from './three-calls.ts'

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

test('seconds count what a job ran, over its waits; dollars need prices', async t => {
  const { jobs } = await openJobs(t, {
    generate: scriptedJob(async ({ step, ask, checkBudget }) => {
      await step('work', () => wait(150))
      await ask('q', QUESTION)
      await checkBudget()
      return 'done'
    }),
  })
  const slow = (await jobs.create('generate', { budget: { seconds: 0.2 } })).job.id
  await jobs.settled(slow, 10_000)
  await jobs.reply(slow, { skip: true }, null)
  t.match(await jobs.settled(slow, 10_000), { status: 'waiting', request: { kind: 'budget', limit: { seconds: 0.2 } } })
  const quick = (await jobs.create('generate', { budget: { seconds: 5 } })).job.id
  await jobs.settled(quick, 10_000)
  await wait(30)
  await jobs.reply(quick, { skip: true }, null)
  t.match(await jobs.settled(quick, 10_000), { status: 'succeeded' })
  await t.rejects(jobs.create('generate', { budget: { usd: 1 } }), { code: 'VALIDATION_FAILED', message: /no prices/ })
})

test('a limit in seconds is used up however short it is, and not before a job has run', async t => {
  const usage = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }
  t.notOk(isExhausted(spentOf(usage, 0), { seconds: 0.0001 }))
  t.ok(isExhausted(spentOf(usage, 1), { seconds: 0.0001 }))
  t.notOk(isExhausted(spentOf(usage, 9_900), { seconds: 10 }))
  t.ok(isExhausted(spentOf(usage, 9_901), { seconds: 10 }))
})

test('each limit is used up for itself', async t => {
  const spent = { tokens: 100, seconds: 10, usd: 0.5 }
  t.notOk(isExhausted(spent, {}))
  t.notOk(isExhausted(spent, { tokens: 101, seconds: 10.1, usd: 0.51 }))
  t.ok(isExhausted(spent, { tokens: 100 }))
  t.ok(isExhausted(spent, { seconds: 10 }))
  t.ok(isExhausted(spent, { tokens: 101, usd: 0.5 }))
  t.notOk(isExhausted({ ...spent, usd: null }, { usd: 0.5 }), 'nothing with a price was spent')
})
