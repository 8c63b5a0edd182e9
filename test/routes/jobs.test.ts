import { join } from 'node:path'
import { test } from 'tap'
import { RUNS_ALL } from '../helpers/property-runs.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { createShop } from '../helpers/sample-repository.ts'

test('a job is created with 202, its place and the whole of it', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const res = await built.app.inject({ method: 'POST', url: '/clone', body: { url: shop.dir } })
  t.equal(res.statusCode, 202)
  const job = res.json()
  t.equal(res.headers.location, `/jobs/${job.id}`)
  t.equal(res.headers['retry-after'], '1')
  t.match(job, {
    type: 'clone',
    status: /queued|running/,
    project_name: 'shop',
    retry_of: null,
    trust: 'trusted',
    request: null,
    result: null,
    error: null,
    usage: { llm_calls: 0, usd: null },
    budget: null,
  })
  const waited = await built.app.inject({
    method: 'POST',
    url: '/clone',
    headers: { prefer: 'wait=60' },
    body: { url: shop.dir },
  })
  t.equal(waited.statusCode, 200)
  t.match(waited.json(), { status: 'succeeded' })
  t.match((await built.app.inject(`/jobs/${job.id}?wait=60`)).json(), { id: job.id, status: 'succeeded' })
})

test('the same Idempotency-Key gives the same job; with another body it is refused', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const post = (body: object) =>
    built.app.inject({ method: 'POST', url: '/clone', headers: { 'idempotency-key': 'abc' }, body })
  const first = await post({ url: shop.dir, branch: 'main' })
  const again = await post({ branch: 'main', url: shop.dir })
  t.equal(again.json().id, first.json().id)
  t.equal(again.headers['idempotency-replayed'], 'true')
  t.equal(first.headers['idempotency-replayed'], undefined)
  t.match((await post({ url: shop.dir })).json(), { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' })
  t.equal((await built.app.inject('/jobs')).json().data.length, 1)
})

test('jobs are listed newest first, page by page, and filtered', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await cloneInto(t, built, { url: shop.dir, project_name: name })).id)
  const first = (await built.app.inject('/jobs?limit=2')).json()
  const second = (await built.app.inject(`/jobs?limit=2&cursor=${first.next_cursor}`)).json()
  t.same(
    [...first.data, ...second.data].map(job => job.id),
    ids,
  )
  t.equal(second.next_cursor, null)
  t.same(
    (await built.app.inject('/jobs?project_name=B')).json().data.map((job: { id: string }) => job.id),
    [ids[1]],
  )
  t.same((await built.app.inject('/jobs?status=failed')).json().data, [])
})

test('events are given as JSON and as a stream that resumes after Last-Event-ID', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const { id } = await cloneInto(t, built, { url: shop.dir })
  const events = (await built.app.inject(`/jobs/${id}/events`)).json().data
  t.same(
    events.map((event: { id: number }) => event.id),
    events.map((_: unknown, index: number) => index + 1),
  )
  t.match(events[0], { event: 'status', data: { status: 'queued' } })
  t.match(events.at(-1), { event: 'done', data: { status: 'succeeded' } })
  t.ok(
    events.some(
      (event: { event: string; data: { message?: string } }) =>
        event.event === 'step' && /^files \d+\/\d+$/.test(event.data.message ?? ''),
    ),
    'progress counts files',
  )
  const stream = (headers: object) =>
    built.app.inject({ url: `/jobs/${id}/events`, headers: { accept: 'text/event-stream', ...headers } })
  const whole = (await stream({})).body
  t.same(
    [...whole.matchAll(/^id: (\d+)$/gm)].map(match => Number(match[1])),
    events.map((event: { id: number }) => event.id),
  )
  t.same(
    [...(await stream({ 'last-event-id': '2' })).body.matchAll(/^id: (\d+)$/gm)].map(match => Number(match[1]))[0],
    3,
  )
  t.equal(
    (await built.app.inject({ url: '/jobs/nope/events', headers: { accept: 'text/event-stream' } })).statusCode,
    404,
  )
})

test('a failed job is retried with another body, which is checked like the first', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const failed = (
    await built.app.inject({ method: 'POST', url: '/clone?wait=60', body: { url: shop.dir, branch: 'nope' } })
  ).json()
  t.match(failed, { status: 'failed', error: { code: 'BRANCH_NOT_FOUND' } })
  const retry = (body: object) => built.app.inject({ method: 'POST', url: `/jobs/${failed.id}/retry?wait=60`, body })
  t.match((await retry({ branch: 5 })).json(), { code: 'VALIDATION_FAILED' })
  t.match((await retry({ depth: 5 })).json(), { code: 'VALIDATION_FAILED' })
  t.match((await retry({ url: 'ext::sh -c id' })).json(), { code: 'BAD_REPOSITORY_URL' })
  t.match((await retry({ branch: 'main' })).json(), { status: 'succeeded', retry_of: failed.id, type: 'clone' })
  t.match(
    (await built.app.inject({ method: 'POST', url: `/jobs/${failed.id}/retry?wait=60` })).json(),
    { status: 'failed' },
    'no body is no override',
  )
})

test('an ended job can be deleted and not cancelled', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const { id } = await cloneInto(t, built, { url: shop.dir })
  t.match((await built.app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })).json(), {
    status: 409,
    code: 'JOB_FINISHED',
  })
  t.equal((await built.app.inject({ method: 'DELETE', url: `/jobs/${id}` })).statusCode, 204)
  t.equal((await built.app.inject(`/jobs/${id}`)).statusCode, 404)
})

/** Files whose indexing takes longer than an answer. */
const LARGE = RUNS_ALL ? 3_000 : 1_500

test('while one project is indexed, another is resolved and the busy one cannot be deleted', async t => {
  const built = await buildApp(t, { threads: 'real' })
  await cloneShop(t, built)
  const resolveShop = () =>
    built.app.inject({
      method: 'POST',
      url: '/resolve',
      body: {
        stacktrace: 'File "/app/shop/prices.py", line 6, in average\nZeroDivisionError: division by zero',
        project_name: 'shop',
      },
    })
  await resolveShop() // starts the thread
  const files = Object.fromEntries(
    Array.from({ length: LARGE }, (_, i) => [
      `src/module_${i}.py`,
      `def function_${i}(value):\n    return value + ${i}\n`.repeat(40),
    ]),
  )
  const large = createGitRepository(join(built.reposDir, 'large.git'), { files })
  const job = (await built.app.inject({ method: 'POST', url: '/clone', body: { url: large.dir } })).json()
  const controller = new AbortController()
  for await (const event of built.services.jobs.follow(job.id, 0, controller.signal)) {
    if (event.data.step === 'index') break
  }
  const res = await resolveShop()
  t.equal(res.statusCode, 200, res.body)
  t.match((await built.app.inject(`/jobs/${job.id}`)).json(), { status: 'running' }, 'the index was still being built')
  t.match(await built.app.inject({ method: 'DELETE', url: '/projects/large' }), {
    statusCode: 409,
    body: /PROJECT_BUSY/,
  })
  t.match(
    (
      await built.app.inject({ method: 'POST', url: '/resolve', body: { stacktrace: 'x.py', project_name: 'large' } })
    ).json(),
    { code: 'INDEX_NOT_READY' },
  )
  const cancelled = await built.app.inject({ method: 'POST', url: `/jobs/${job.id}/cancel` })
  t.equal(cancelled.statusCode, 202)
  t.match(cancelled.json(), { status: 'cancelled' })
  t.match(await cloneInto(t, built, { url: large.dir }), { result: { files_indexed: LARGE } }, 'a new job starts over')
})

test('a retry from a step refuses overrides that come too late, and goes on from a step that failed', async t => {
  const built = await buildApp(t)
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const failed = (
    await built.app.inject({ method: 'POST', url: '/clone?wait=60', body: { url: shop.dir, include: ['nothing/**'] } })
  ).json()
  t.match(failed, { status: 'failed', error: { code: 'NOTHING_TO_INDEX', step: 'index' } })
  const retry = async (body: object) =>
    (await built.app.inject({ method: 'POST', url: `/jobs/${failed.id}/retry?wait=60`, body })).json()
  t.match(await retry({ from_step: 'index', project_name: 'other' }), {
    status: 400,
    code: 'BAD_REQUEST',
    detail: /project_name/,
  })
  t.match(await retry({ from_step: 'nope' }), { code: 'BAD_REQUEST', fix: 'Its steps are: clone, index.' })
  t.match(await retry({ from_step: 'index', include: ['src/**'] }), {
    status: 'succeeded',
    result: { files_indexed: 4 },
  })
  t.match(await retry({ ssh_url: shop.dir, include: [] }), { status: 'succeeded', result: { files_indexed: 5 } })
})
