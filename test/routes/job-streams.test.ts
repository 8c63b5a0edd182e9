import { once } from 'node:events'
import { request as send, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { buildApp } from '../helpers/build-app.ts'
import { eventually } from '../helpers/processes.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

async function listening(t: Test, run: (context: JobContext) => Promise<unknown>, env = {}) {
  const built = await buildApp(t, { env, definitions: { generate: scriptedJob(run) } })
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = built.app.server.address() as AddressInfo
  return {
    ...built,
    port,
    async open(id: string, lastEventId: number | string = 0): Promise<IncomingMessage> {
      const client = send({
        port,
        host: '127.0.0.1',
        path: `/jobs/${id}/events`,
        agent: false,
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === 0 ? {} : { 'last-event-id': String(lastEventId) }),
        },
      })
      client.end()
      const [response] = (await once(client, 'response')) as [IncomingMessage]
      return response.setEncoding('utf8')
    },
  }
}

/** Ids of the whole events that come until the stream ends or is cut. */
async function idsOf(stream: IncomingMessage): Promise<{ ids: number[]; wasCut: boolean }> {
  let rest = ''
  const ids: number[] = []
  try {
    for await (const chunk of stream) {
      const blocks = (rest + String(chunk)).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const id = /^id: (\d+)$/m.exec(block.slice(0, 100))?.[1]
        if (id !== undefined) ids.push(Number(id))
      }
    }
  } catch {
    return { ids, wasCut: true }
  }
  return { ids, wasCut: false }
}

for (const [what, events, size] of [
  ['256 KiB', 400, 100_000],
  ['500 events', 12_000, 3_000],
] as const) {
  test(
    `a reader who takes nothing while more than ${what} happen is cut off, and gets the rest where it left ` + 'off',
    async t => {
      const gate = Promise.withResolvers<undefined>()
      const { services, open } = await listening(t, async ({ log }) => {
        await gate.promise
        for (let i = 0; i < events; i++) {
          log('x'.repeat(size))
          if (i % 50 === 0) await wait(1)
        }
      })
      const { id } = (await services.jobs.create('generate', {})).job
      const slow = await open(id)
      gate.resolve(undefined)
      await services.jobs.settled(id, 60_000)
      await wait(600) // two looks at who is slow
      const first = await idsOf(slow)
      t.ok(first.wasCut)
      const second = await idsOf(await open(id, first.ids.at(-1)))
      t.notOk(second.wasCut)
      const last = await services.jobs.lastEvent(id)
      t.same(
        [...first.ids, ...second.ids],
        Array.from({ length: last }, (_, i) => i + 1),
      )
      t.ok(first.ids.length < last)
    },
  )
}

test('a reader who comes late and reads slowly gets all that happened before it came', async t => {
  const { services, open } = await listening(t, async ({ log }) => {
    for (let i = 0; i < 300; i++) log('x'.repeat(100_000))
  })
  const { id } = (await services.jobs.create('generate', {})).job
  await services.jobs.settled(id, 60_000)
  const late = await open(id)
  await wait(800)
  const { ids, wasCut } = await idsOf(late)
  t.notOk(wasCut)
  t.equal(ids.length, await services.jobs.lastEvent(id))
})

test(
  'a stream resumes after any Last-Event-ID that may come: one beyond the end stands for the end, what is ' +
    'no number for none',
  async t => {
    const gate = Promise.withResolvers<undefined>()
    const { app, services, open } = await listening(t, async ({ log }) => {
      log('first')
      await gate.promise
      log('second')
    })
    const { id } = (await services.jobs.create('generate', {})).job
    t.ok(await eventually(async () => (await services.jobs.lastEvent(id)) === 3))
    const streams = await Promise.all(
      ['99', '999999999999999', '3', '2', '-1', 'x', '1e3', '0x2', ''].map(async given => ({
        given,
        stream: await open(id, given),
      })),
    )
    gate.resolve(undefined)
    const all = [1, 2, 3, 4, 5, 6]
    const expected: Record<string, number[]> = {
      99: [4, 5, 6],
      999999999999999: [4, 5, 6],
      3: [4, 5, 6],
      2: [3, 4, 5, 6],
    }
    for (const { given, stream } of streams) {
      t.same((await idsOf(stream)).ids, expected[given] ?? all, JSON.stringify(given))
    }
    t.same((await idsOf(await open(id, '99'))).ids, [], 'of an ended job nothing is left')
    const get = (url: string, headers = {}) => app.inject({ url, headers })
    t.same((await get(`/jobs/${id}/events?after=99`)).json().data, [])
    for (const after of ['-1', 'x']) {
      t.match((await get(`/jobs/${id}/events?after=${after}`)).json(), { code: 'VALIDATION_FAILED' }, after)
    }
    t.match(
      (await get(`/jobs/${id}/events`, { accept: 'text/event-stream', 'last-event-id': '9'.repeat(21) })).json(),
      {
        code: 'VALIDATION_FAILED',
      },
    )
  },
)

test('of a job that is deleted nothing is given any more; who waits for it or reads it then is told', async t => {
  const { app, services, open } = await listening(t, async ({ log, signal }) => {
    for (let i = 0; i < 300; i++) log('x'.repeat(100_000))
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  })
  const { id } = (await services.jobs.create('generate', {})).job
  t.ok(await eventually(async () => (await services.jobs.lastEvent(id)) > 300))
  const slow = await open(id)
  const waiting = app.inject(`/jobs/${id}?wait=60`)
  const answer = app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })
  t.equal((await answer).statusCode, 202)
  t.equal((await app.inject({ method: 'DELETE', url: `/jobs/${id}` })).statusCode, 204)
  t.match((await waiting).json(), { id, status: 'cancelled' }, 'it ended before')
  const { ids, wasCut } = await idsOf(slow)
  t.ok(wasCut || ids.length < 300, 'the rest is not made up')
  t.same(
    ids,
    ids.map((_, index) => index + 1),
  )
  for (const url of [`/jobs/${id}?wait=60`, `/jobs/${id}/events`, `/jobs/${id}/files`, `/jobs/${id}/transcript`]) {
    t.match((await app.inject(url)).json(), { status: 404, code: 'JOB_NOT_FOUND' }, url)
  }
  t.match(
    (
      await app.inject({ url: `/jobs/${id}/events`, headers: { accept: 'text/event-stream', 'last-event-id': '5' } })
    ).json(),
    { status: 404, code: 'JOB_NOT_FOUND' },
  )
})

test('who waits for a job that is forgotten meanwhile is told so', async t => {
  const { app, services } = await listening(t, async ({ signal }) => {
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  })
  const { id } = (await services.jobs.create('generate', {})).job
  const waiting = ['?wait=60', '?wait=1'].map(query => app.inject(`/jobs/${id}${query}`))
  await app.inject(`/jobs/${id}`) // both wait by now
  await services.jobs.cancel(id)
  const removed = services.jobs.remove(id)
  for (const res of await Promise.all(waiting)) t.match(res.json(), { status: /cancelled|404/ })
  await removed
})

test('a reader who reads nothing at all keeps its job from nothing and is cut off', async t => {
  const { services, port } = await listening(t, async ({ log }) => {
    for (let i = 0; i < 3_000; i++) {
      log('x'.repeat(2_000))
      if (i % 50 === 0) await wait(1)
    }
  })
  const { id } = (await services.jobs.create('generate', {})).job
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`GET /jobs/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`),
  )
  socket.pause()
  const closed = once(socket, 'close')
  socket.on('error', () => {})
  t.match(await services.jobs.settled(id, 60_000), { status: 'succeeded' })
  await wait(600) // two looks at who is slow
  socket.resume()
  await closed
})

test('a full queue is 429 with Retry-After and the position', async t => {
  const { app, services } = await listening(
    t,
    async ({ signal }) =>
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', reject)
      }),
    { JOBS_CONCURRENCY: '1', QUEUE_LIMIT: '1', ALLOW_PRIVATE_HOSTS: 'true' },
  )
  for (let i = 0; i < 2; i++) await services.jobs.create('generate', {})
  const res = await app.inject({ method: 'POST', url: '/clone', body: { url: 'https://127.0.0.1/x.git' } })
  t.equal(res.statusCode, 429)
  t.match(res.headers['retry-after'], /^\d+$/)
  t.match(res.json(), { code: 'QUEUE_FULL', queue_position: 2, detail: /number 2/ })
})

test('the stream of a job that is deleted as it opens ends at once', async t => {
  const { services, open } = await listening(t, async () => null)
  const { jobs } = services
  const { id } = (await jobs.create('generate', {})).job
  await jobs.settled(id, 10_000)
  const lastEvent = jobs.lastEvent.bind(jobs)
  t.capture(jobs, 'lastEvent', async (job: string) => {
    const last = await lastEvent(job)
    await jobs.remove(job)
    return last
  })
  t.same(await idsOf(await open(id)), { ids: [], wasCut: false })
})
