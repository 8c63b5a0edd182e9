import { createHash, randomBytes } from 'node:crypto'
import { test, type Test } from 'tap'
import type { ObjectStore } from '../../src/object-store/object-store.ts'
import { openS3Store } from '../../src/object-store/s3/s3-store.ts'
import { contentOf } from '../contracts/object-store.ts'
import { faultyProxy, type Fault, type FaultyProxy } from '../helpers/faulty-proxy.ts'
import { S3_KEYS, s3Server } from '../helpers/s3-server.ts'

const never = new AbortController().signal
const MIB = 1_048_576
const LARGE = randomBytes(12 * MIB)
const SMALL = Buffer.from('a small object')
const sha256 = (bytes: Uint8Array | null): string =>
  createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')

interface World {
  proxy: FaultyProxy
  /** By way of the proxy, with little patience. */
  store: ObjectStore
  /** Past the proxy. */
  direct: ObjectStore
}

async function world(t: Test): Promise<World> {
  const address = await s3Server(t)
  const proxy = await faultyProxy(t, address.endpoint)
  const impatient = { delaysMs: [1, 1, 1], silenceMs: 400, minBytesPerSecond: 1_000, partBytes: 5 * MIB }
  const store = await openS3Store({ ...address, endpoint: proxy.url }, S3_KEYS, impatient)
  const direct = await openS3Store(address, S3_KEYS)
  t.teardown(() => Promise.all([store[Symbol.asyncDispose](), direct[Symbol.asyncDispose]()]))
  return { proxy, store, direct }
}

const PASSING: ReadonlyArray<[string, Fault]> = [
  ['503', { kind: 'status', status: 503 }],
  ['500 with an error of S3', { kind: 'status', status: 500, body: '<Error><Code>InternalError</Code></Error>' }],
  ['429', { kind: 'status', status: 429, retryAfterS: 0 }],
  ['a connection that breaks before the request', { kind: 'drop' }],
  ['a connection that breaks before the answer', { kind: 'drop', after: true }],
  ['no answer', { kind: 'hang' }],
]

test('what passes is tried again, and nobody notices', async t => {
  const { proxy, store, direct } = await world(t)
  for (const [what, fault] of PASSING) {
    const times = fault.kind === 'hang' ? 1 : 3
    proxy.failNext(times, fault)
    await store.put('faults/put', SMALL, never)
    t.equal(String(await contentOf(direct, 'faults/put')), String(SMALL), `a put, after ${what}`)
    proxy.failNext(times, fault)
    t.equal(String(await contentOf(store, 'faults/put')), String(SMALL), `a get, after ${what}`)
    proxy.failNext(times, fault)
    t.equal((await store.head('faults/put', never))?.bytes, SMALL.length, `a head, after ${what}`)
    proxy.failNext(times, fault)
    for await (const page of store.list('faults/', never)) t.equal(page.length, 1, `a listing, after ${what}`)
    proxy.failNext(times, fault)
    await store.delete('faults/put', never)
    t.equal(await direct.head('faults/put', never), null, `a deletion, after ${what}`)
  }
})

test('each request of an upload in parts is tried again', async t => {
  const { proxy, store, direct } = await world(t)
  for (const [what, fault] of PASSING.filter(([, { kind }]) => kind !== 'hang')) {
    const failed = new Set<string>()
    proxy.faultOf = ({ method, number }) => {
      const name = `${method} ${failed.size}`
      if (number % 2 === 0 || failed.has(name)) return null
      failed.add(name)
      return fault
    }
    await store.put('faults/large', LARGE, never)
    t.ok(failed.size >= 4, `${failed.size} requests failed`)
    t.equal(sha256(await contentOf(direct, 'faults/large')), sha256(LARGE), what)
    await direct.delete('faults/large', never)
  }
})

test('a store that stays away is an error that says what it answered, and leaves nothing', async t => {
  const { proxy, store, direct } = await world(t)
  proxy.faultOf = () => ({
    kind: 'status',
    status: 503,
    body: '<Error><Code>SlowDown</Code><Message>later</Message></Error>',
  })
  for (const content of [SMALL, LARGE]) {
    await t.rejects(store.put('faults/away', content, never), {
      code: 'OBJECT_STORE_UNAVAILABLE',
      message: /503 SlowDown: later, after 4 tries/,
      isTransient: true,
    })
  }
  await t.rejects(store.get('faults/away', never), { code: 'OBJECT_STORE_UNAVAILABLE' })
  await t.rejects(store.head('faults/away', never), { code: 'OBJECT_STORE_UNAVAILABLE' })
  proxy.faultOf = () => ({ kind: 'drop' })
  await t.rejects(store.head('faults/away', never), {
    message: /did not show the object faults\/away: .*after 4 tries/,
  })
  t.equal(await direct.head('faults/away', never), null)
})

test('a refusal is final, and names its cure', async t => {
  const { proxy, store } = await world(t)
  const refusals = [
    ['AccessDenied', 403, /read, write, delete and list/],
    ['SignatureDoesNotMatch', 403, /S3_SECRET_ACCESS_KEY/],
    ['RequestTimeTooSkewed', 403, /clock/],
    ['NoSuchBucket', 404, /bucket/],
    ['PermanentRedirect', 301, /region/],
  ] as const
  for (const [code, status, fix] of refusals) {
    proxy.seen.length = 0
    proxy.faultOf = () => ({ kind: 'status', status, body: `<Error><Code>${code}</Code></Error>` })
    const error = { code: 'OBJECT_STORE_UNAVAILABLE', isTransient: false, fix }
    await t.rejects(store.put('faults/refused', SMALL, never), error, code)
    await t.rejects(store.get('faults/refused', never), error, code)
    t.equal(proxy.seen.length, 2, 'nothing was tried twice')
  }
})

test('a download that was cut off goes on where it ended', async t => {
  const { proxy, store, direct } = await world(t)
  await direct.put('faults/long', LARGE, never)
  for (const bytes of [0, 1, 3 * MIB]) {
    proxy.seen.length = 0
    proxy.failNext(2, { kind: 'cut', bytes })
    t.equal(sha256(await contentOf(store, 'faults/long')), sha256(LARGE), `cut off after ${bytes} bytes`)
    t.equal(proxy.seen.length, 3)
  }
  proxy.faultOf = () => ({ kind: 'cut', bytes: 1_000 })
  await t.rejects(contentOf(store, 'faults/long'), { code: 'OBJECT_STORE_UNAVAILABLE', message: /after 4 tries/ })
})

test('a download whose object was replaced meanwhile is no mix of both', async t => {
  const { proxy, store, direct } = await world(t)
  await direct.put('faults/replaced', LARGE, never)
  proxy.faultOf = ({ number }) => (number === 1 ? { kind: 'cut', bytes: 3 * MIB } : null)
  const body = await store.get('faults/replaced', never)
  await direct.put('faults/replaced', randomBytes(LARGE.length), never)
  await t.rejects(
    async () => {
      for await (const piece of body?.content ?? []) {
        if (!LARGE.includes(Buffer.from(piece).subarray(0, 64))) t.fail('a piece of the other one')
      }
    },
    { code: 'OBJECT_STORE_UNAVAILABLE' },
  )
})

test('an answer that comes too slowly, or stops coming, is given up and begun again', async t => {
  const { proxy, store, direct } = await world(t)
  await direct.put('faults/slow', randomBytes(100_000), never)
  proxy.failNext(1, { kind: 'trickle' })
  t.equal((await contentOf(store, 'faults/slow'))?.length, 100_000)
  t.ok(proxy.seen.length >= 2, 'it was asked for again')
  proxy.faultOf = () => ({ kind: 'trickle' })
  await t.rejects(contentOf(store, 'faults/slow'), { code: 'OBJECT_STORE_UNAVAILABLE', message: /too slowly/ })
  await t.rejects(
    async () => {
      for await (const page of store.list('faults/', never)) t.fail(`${page.length} objects`)
    },
    { code: 'OBJECT_STORE_UNAVAILABLE' },
  )
})

test('bytes that change on their way up are refused by the store, and sent again', async t => {
  const { proxy, store, direct } = await world(t)
  proxy.failNext(1, { kind: 'flip', sent: true })
  await store.put('faults/changed', SMALL, never)
  t.equal(String(await contentOf(direct, 'faults/changed')), String(SMALL))
  t.same(proxy.seen.filter(line => line.startsWith('PUT')).length, 2)
  proxy.faultOf = ({ method }) => (method === 'PUT' ? { kind: 'flip', sent: true } : null)
  await t.rejects(store.put('faults/changed-again', SMALL, never), { code: 'OBJECT_STORE_UNAVAILABLE' })
  t.equal(await direct.head('faults/changed-again', never), null)
})

test('a lost answer to the last request of an upload in parts is no failure', async t => {
  const { proxy, store, direct } = await world(t)
  let posts = 0
  proxy.faultOf = ({ method }) => (method === 'POST' && ++posts === 2 ? { kind: 'drop', after: true } : null)
  await store.put('faults/completed', LARGE, never)
  t.equal(sha256(await contentOf(direct, 'faults/completed')), sha256(LARGE))
})

test('an error in the body of a 200 is an error', async t => {
  const { proxy, store } = await world(t)
  let posts = 0
  proxy.faultOf = ({ method }) =>
    method === 'POST' && ++posts === 2
      ? { kind: 'status', status: 200, body: '<Error><Code>InternalError</Code></Error>' }
      : null
  await store.put('faults/odd', LARGE, never)
  t.equal(sha256(await contentOf(store, 'faults/odd')), sha256(LARGE))
})
