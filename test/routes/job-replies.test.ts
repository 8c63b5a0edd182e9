import { setTimeout as wait } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { testFolder } from '../helpers/test-folder.ts'

type Options = Parameters<typeof buildApp>[1]

async function buildWaiting(t: Test, run: (context: JobContext) => Promise<unknown>, options: Options = {}) {
  const built = await buildApp(t, { ...options, definitions: { generate: scriptedJob(run) } })
  const { app, services } = built
  return {
    ...built,
    begin: async (input = {}) =>
      (await services.jobs.settled((await services.jobs.create('generate', input)).job.id, 10_000)).id,
    reply: (id: string, body: object, wait = 10) =>
      app.inject({ method: 'POST', url: `/jobs/${id}/reply?wait=${wait}`, body }),
    get: async (id: string) => (await app.inject(`/jobs/${id}`)).json(),
  }
}

const QUESTION = { kind: 'clarification' as const, question: 'Which colour?' }

test('a reply that names its question answers no later one', async t => {
  const { begin, reply, get } = await buildWaiting(t, async ({ ask }) => {
    const run = { kind: 'confirm_run' as const, command: 'true', files: [] }
    return [await ask('run', run), await ask('run', run)]
  })
  const id = await begin()
  const { asked } = await get(id)
  t.equal(asked, 'run')
  const next = (await reply(id, { decision: 'approve', asked })).json()
  t.match(next, { status: 'waiting', asked: 'run:1' })
  const late = await reply(id, { decision: 'approve', asked })
  t.equal(late.statusCode, 409)
  t.match(late.json(), { code: 'NOT_WAITING', detail: /waits with another question/, fix: /asked/ })
  t.match(await get(id), { status: 'waiting', asked: 'run:1' })
  t.match((await reply(id, { decision: 'reject', asked: 'run:1' })).json(), {
    status: 'succeeded',
    asked: null,
    result: [{ decision: 'approve' }, { decision: 'reject' }],
  })
})

test('a job asks, waits without a slot, and goes on with the reply; what was done before is not repeated', async t => {
  const calls: string[] = []
  const { begin, reply, get, app } = await buildWaiting(
    t,
    async ({ step, ask }) => {
      await step('draft', async () => {
        calls.push('draft')
        return 1
      })
      const first = await ask('colour', QUESTION)
      const size = await step('measure', async () => {
        calls.push('measure')
        return 42
      })
      const run = await ask('run', {
        kind: 'confirm_run',
        command: 'bash run.sh',
        files: [{ path: 'run.sh', bytes: 3, sha256: 'x' }],
      })
      return { first, size, run }
    },
    { env: { JOBS_CONCURRENCY: '1' } },
  )
  const id = await begin()
  const other = await begin() // with one slot
  t.match(await get(id), { status: 'waiting', request: QUESTION, queue_position: null })
  t.match(await get(other), { status: 'waiting' })

  const answered = await reply(id, { answer: 'green' })
  t.equal(answered.statusCode, 200)
  t.match(answered.json(), {
    status: 'waiting',
    request: { kind: 'confirm_run', command: 'bash run.sh', files: [{ path: 'run.sh' }] },
  })
  t.match((await reply(id, { decision: 'reject' })).json(), {
    status: 'succeeded',
    request: null,
    result: { first: { answer: 'green' }, size: 42, run: { decision: 'reject' } },
  })
  t.same(calls, ['draft', 'draft', 'measure'])

  const events = (await app.inject(`/jobs/${id}/events`)).json().data as Array<{
    id: number
    event: string
    data: { status?: string; kind?: string }
  }>
  t.same(
    events.map(({ id }) => id),
    events.map((_, index) => index + 1),
  )
  t.same(
    events.filter(({ event }) => event === 'request').map(({ data }) => data.kind),
    ['clarification', 'confirm_run'],
  )
  t.same(
    events.filter(({ event }) => event === 'status').map(({ data }) => data.status),
    ['queued', 'running', 'waiting', 'queued', 'running', 'waiting', 'queued', 'running', 'succeeded'],
  )
})

test('a question is skipped by an empty answer, by "c" and by skip', async t => {
  const { begin, reply } = await buildWaiting(t, async ({ ask }) => await ask('colour', QUESTION))
  for (const body of [{ answer: '' }, { answer: ' c\n' }, { skip: true }]) {
    t.match((await reply(await begin(), body)).json(), { status: 'succeeded', result: { skip: true } })
  }
})

test('a reply that does not fit is refused, and what is allowed is said', async t => {
  const { begin, reply, get } = await buildWaiting(
    t,
    async ({ ask }) => await ask('review', { kind: 'review_changes', diff: '--- a', rejectedHunks: [{ path: 'x' }] }),
  )
  const id = await begin()
  t.match(await get(id), { request: { kind: 'review_changes', diff: '--- a', rejected_hunks: [{ path: 'x' }] } })
  for (const body of [{ answer: 'yes' }, { skip: true }, { budget: { tokens: 5 } }]) {
    t.match((await reply(id, body)).json(), {
      status: 409,
      code: 'WRONG_REPLY',
      fix:
        'Send {"decision": "approve"}, {"decision": "reject"}, or {"decision": "reject", "comment": "what should be ' +
        'different"} to have the model asked again.',
    })
  }
  for (const body of [
    {},
    { comment: 'x' },
    { skip: true, comment: 'x' },
    { decision: 'approve', comment: 'x' },
    { decision: 'reject', comment: 'x'.repeat(20_001) },
    { answer: 'x', skip: true },
    { decision: 'maybe' },
    { skip: false },
    { other: 1 },
    { budget: {} },
    { budget: { tokens: -1 } },
  ]) {
    t.match((await reply(id, body)).json(), { status: 400, code: 'VALIDATION_FAILED' }, JSON.stringify(body))
  }
  t.match(await get(id), { status: 'waiting' })
  t.match((await reply(id, { decision: 'approve' })).json(), { status: 'succeeded' })
  t.match((await reply(id, { decision: 'approve' })).json(), {
    status: 409,
    code: 'NOT_WAITING',
    detail: /succeeded/,
    fix: /retry/,
  })
  t.match((await reply('nope', { decision: 'approve' })).json(), { status: 404, code: 'JOB_NOT_FOUND' })
})

test(
  'a budget is a field of a request that makes a job: it waits before the model is asked, and goes on when ' +
    'it is raised',
  async t => {
    const model = await startModelServer({ otherwise: { text: '## Why\nIt is empty.' } })
    t.teardown(() => model.close())
    const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' } })
    await cloneShop(t, built)
    const body = { project_name: 'shop', stacktrace: SHOP_TRACE, budget: { seconds: 0.0001 } }
    const post = (url: string, given: object, headers = {}) =>
      built.app.inject({ method: 'POST', url, body: given, headers })
    t.match((await post('/resolve', body)).json(), {
      status: 400,
      code: 'VALIDATION_FAILED',
      detail: /^budget is for a job/,
      fix: /respond-async/,
    })
    t.match((await post('/resolve', { ...body, dry_run: true })).json(), { code: 'VALIDATION_FAILED' })
    for (const budget of [{}, { tokens: 0 }, { usd: 1 }, { seconds: '5' }, { eur: 1 }]) {
      t.match(
        (await post('/resolve', { ...body, budget }, { prefer: 'respond-async' })).json(),
        { status: 400, code: 'VALIDATION_FAILED' },
        JSON.stringify(budget),
      )
    }
    const job = (await post('/resolve?wait=60', body, { prefer: 'respond-async' })).json()
    t.match(job, {
      status: 'waiting',
      request: { kind: 'budget', limit: { seconds: 0.0001 } },
      budget: { seconds: 0.0001 },
      usage: { llm_calls: 0 },
    })
    t.equal(model.requests.length, 0)
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        post(`/jobs/${job.id}/reply?wait=60`, { budget: { seconds: 600, tokens: 100_000 } }),
      ),
    )
    t.same(
      replies.map(({ statusCode }) => statusCode).sort(),
      [200, 409, 409, 409, 409],
      'of five replies at once one counts',
    )
    t.match(replies.find(({ statusCode }) => statusCode === 200)?.json(), {
      status: 'succeeded',
      budget: { seconds: 600, tokens: 100_000 },
      result: [{ answer_status: 'ok' }],
    })
    t.equal(model.requests.length, 1)
    t.match((await post(`/jobs/${job.id}/retry?wait=60`, { budget: { tokens: -1 } })).json(), {
      code: 'VALIDATION_FAILED',
    })
    t.match((await post(`/jobs/${job.id}/retry?wait=60`, { budget: { seconds: 600 } })).json(), {
      status: 'succeeded',
      budget: { seconds: 600 },
    })
  },
)

test('of two replies at once one counts', async t => {
  const { begin, reply } = await buildWaiting(t, async ({ ask }) => await ask('colour', QUESTION))
  const id = await begin()
  const codes = (await Promise.all(['a', 'b', 'c d'].map(answer => reply(id, { answer })))).map(
    ({ statusCode }) => statusCode,
  )
  t.same(codes.sort(), [200, 409, 409])
})

test('a running job takes no reply before it asks, and a body that catches the wait waits all the same', async t => {
  const gate = Promise.withResolvers<undefined>()
  const { app, services, reply } = await buildWaiting(t, async ({ step, ask }) => {
    await step('work', async () => {
      await gate.promise
      return 1
    })
    try {
      return await ask('colour', QUESTION)
    } catch {
      return 'swallowed'
    }
  })
  const { job } = await services.jobs.create('generate', {})
  t.match((await reply(job.id, { answer: 'early' })).json(), { code: 'NOT_WAITING', fix: /wait=60/ })
  gate.resolve(undefined)
  const waited = await app.inject(`/jobs/${job.id}?wait=10`)
  t.match(waited.json().status === 'waiting' ? waited.json() : (await app.inject(`/jobs/${job.id}?wait=10`)).json(), {
    status: 'waiting',
  })
  t.match((await reply(job.id, { answer: 'blue' })).json(), { status: 'succeeded', result: { answer: 'blue' } })
})

test('a waiting job survives a restart, and is cancelled like any other', async t => {
  const root = testFolder(t)
  const run = async ({ ask }: JobContext) => await ask('colour', QUESTION)
  const before = await buildWaiting(t, run, { root })
  const [id, other] = [await before.begin(), await before.begin()]
  await before.close()
  const after = await buildWaiting(t, run, { root })
  t.match(await after.get(id), { status: 'waiting', request: QUESTION })
  t.match((await after.reply(id, { answer: 'red' })).json(), { status: 'succeeded', result: { answer: 'red' } })
  t.match((await after.app.inject({ method: 'POST', url: `/jobs/${other}/cancel` })).json(), {
    status: 'cancelled',
    request: null,
  })
  t.match((await after.reply(other, { answer: 'red' })).json(), { code: 'NOT_WAITING' })
})

test('a retry from a step keeps the replies before it, and asks again from there on', async t => {
  const calls: string[] = []
  const { begin, reply, services, get } = await buildWaiting(t, async ({ step, ask }) => {
    const colour = await ask('question', QUESTION)
    await step('work', async () => {
      calls.push('work')
    })
    const again = await ask('question', QUESTION) // the same name again is another question
    return { colour, again }
  })
  const id = await begin()
  await reply(id, { answer: 'green' })
  t.match((await reply(id, { answer: 'large' })).json(), {
    result: { colour: { answer: 'green' }, again: { answer: 'large' } },
  })
  const fromWork = (await services.jobs.retry(id, {}, { fromStep: 'work' })).job.id
  await services.jobs.settled(fromWork, 10_000)
  t.match(await get(fromWork), { status: 'waiting' })
  t.match((await reply(fromWork, { answer: 'small' })).json(), {
    retry_of: id,
    result: { colour: { answer: 'green' }, again: { answer: 'small' } },
  })
  t.same(calls, ['work', 'work'])
  const fromQuestion = (await services.jobs.retry(id, {}, { fromStep: 'question:1' })).job.id
  await services.jobs.settled(fromQuestion, 10_000)
  t.match((await reply(fromQuestion, { skip: true })).json(), {
    result: { colour: { answer: 'green' }, again: { skip: true } },
  })
  t.equal(calls.length, 2)
  await t.rejects(services.jobs.retry(id, {}, { fromStep: 'nope' }), {
    code: 'BAD_REQUEST',
    fix: 'Its steps are: question, work, question:1.',
  })
})

test('nothing of a body runs on while its job waits', async t => {
  let cutOff = false
  const { begin, reply } = await buildWaiting(t, async ({ step, ask }) => {
    const [, colour] = await Promise.all([
      step('beside', async signal => {
        await wait(5, undefined, { signal }).catch(() => {
          cutOff = true
        })
        return 1
      }),
      ask('colour', QUESTION),
    ])
    return colour
  })
  const id = await begin()
  t.ok(cutOff)
  t.match((await reply(id, { answer: 'x y' })).json(), { status: 'succeeded' })
})
