import { once } from 'node:events'
import { request as send, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { buildApp } from '../helpers/build-app.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

async function listening (t: Test, run: (context: JobContext) => Promise<unknown>, env = {}) {
  const built = await buildApp(t, { env, definitions: { generate: scriptedJob(run) } })
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = built.app.server.address() as AddressInfo
  return {
    ...built,
    async open (id: string, lastEventId = 0): Promise<IncomingMessage> {
      const client = send({ port, host: '127.0.0.1', path: `/jobs/${id}/events`, agent: false, headers: { accept: 'text/event-stream', ...(lastEventId === 0 ? {} : { 'last-event-id': String(lastEventId) }) } })
      client.end()
      const [response] = await once(client, 'response') as [IncomingMessage]
      return response.setEncoding('utf8')
    },
  }
}

/** Ids of the whole events that come until the stream ends or is cut. */
async function idsOf (stream: IncomingMessage): Promise<{ ids: number[], wasCut: boolean }> {
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

for (const [what, events, size] of [['256 KiB', 400, 100_000], ['500 events', 12_000, 3_000]] as const) {
  test(`a reader who takes nothing while more than ${what} happen is cut off, and gets the rest where it left off`, async t => {
    const gate = Promise.withResolvers<undefined>()
    const { services, open } = await listening(t, async ({ log }) => {
      await gate.promise
      for (let i = 0; i < events; i++) {
        log('x'.repeat(size))
        if (i % 50 === 0) await wait(1)
      }
    })
    const { id } = services.jobs.create('generate', {}).job
    const slow = await open(id)
    gate.resolve(undefined)
    await services.jobs.settled(id, 60_000)
    await wait(600) // two looks at who is slow
    const first = await idsOf(slow)
    t.ok(first.wasCut)
    const second = await idsOf(await open(id, first.ids.at(-1)))
    t.notOk(second.wasCut)
    const last = services.jobs.lastEvent(id)
    t.same([...first.ids, ...second.ids], Array.from({ length: last }, (_, i) => i + 1))
    t.ok(first.ids.length < last)
  })
}

test('a reader who comes late and reads slowly gets all that happened before it came', async t => {
  const { services, open } = await listening(t, async ({ log }) => { for (let i = 0; i < 300; i++) log('x'.repeat(100_000)) })
  const { id } = services.jobs.create('generate', {}).job
  await services.jobs.settled(id, 60_000)
  const late = await open(id)
  await wait(800)
  const { ids, wasCut } = await idsOf(late)
  t.notOk(wasCut)
  t.equal(ids.length, services.jobs.lastEvent(id))
})

test('a full queue is 429 with Retry-After and the position', async t => {
  const { app, services } = await listening(t, async ({ signal }) => await new Promise((_resolve, reject) => { signal.addEventListener('abort', reject) }), { JOBS_CONCURRENCY: '1', QUEUE_LIMIT: '1', ALLOW_PRIVATE_HOSTS: 'true' })
  for (let i = 0; i < 2; i++) services.jobs.create('generate', {})
  const res = await app.inject({ method: 'POST', url: '/clone', body: { url: 'https://127.0.0.1/x.git' } })
  t.equal(res.statusCode, 429)
  t.match(res.headers['retry-after'], /^\d+$/)
  t.match(res.json(), { code: 'QUEUE_FULL', queue_position: 2, detail: /number 2/ })
})
