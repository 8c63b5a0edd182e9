import { setTimeout as delay } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { isSignedWebhook, webhookHeadersProblem, type WebhookHeaders } from '../../src/core/webhook.ts'
import { createCallbacks, type Callback, type CallbackOptions } from '../../src/outbound/callbacks.ts'
import { startCallbackReceiver, type Answer } from '../fakes/callback-receiver.ts'

const KEYS = [Buffer.from('the secret of now'), Buffer.from('the secret before')]
const NO_WAIT = [0, 0, 0, 0]

async function receiverWith(t: Test, ...answers: Answer[]) {
  const receiver = await startCallbackReceiver(...answers)
  t.teardown(() => receiver[Symbol.asyncDispose]())
  return receiver
}

const deliver = (callback: Partial<Callback> & { url: string }, options: Partial<CallbackOptions> = {}) =>
  createCallbacks({ keys: KEYS, allowPrivateHosts: true, delaysMs: NO_WAIT, ...options }).deliver({
    id: 'job-1',
    body: '{"status":"succeeded"}',
    signal: new AbortController().signal,
    ...callback,
  })

test('a message arrives once, signed with each secret', async t => {
  const receiver = await receiverWith(t, 200)
  t.same(await deliver({ url: `${receiver.url}?a=b` }), { delivered: true, status: 200, tries: 1 })
  const [message] = receiver.received
  t.equal(receiver.received.length, 1)
  t.match(message, {
    path: '/hook?a=b',
    headers: { 'content-type': 'application/json', 'user-agent': 'faultline', 'webhook-id': 'job-1' },
  })
  const headers = message?.headers as unknown as WebhookHeaders
  t.equal(webhookHeadersProblem(headers, new Date()), null)
  for (const key of KEYS) t.ok(isSignedWebhook(headers, message?.body ?? Buffer.alloc(0), [key]))
  t.equal(message?.body.toString(), '{"status":"succeeded"}')
})

test('a receiver that fails is tried again, five times in all, with the same id and a signature of its own', async t => {
  let second = 0
  const receiver = await receiverWith(t, 500, 503, 404, res => res.destroy())
  t.match(await deliver({ url: receiver.url }, { now: () => new Date(1_700_000_000_000 + 1000 * second++) }), {
    delivered: true,
    status: 204,
    tries: 5,
  })
  t.same(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])), new Set(['job-1']))
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size, 5)

  const broken = await receiverWith(t, 500, 500, 500, 500, 500)
  t.same(await deliver({ url: broken.url }), { delivered: false, reason: 'it answered 500', tries: 5 })
  t.equal(broken.received.length, 5)
})

test('the times between two tries grow', async t => {
  const receiver = await receiverWith(t, 500, 500)
  const started = performance.now()
  await deliver({ url: receiver.url }, { delaysMs: [20, 60] })
  t.ok(performance.now() - started >= 70, 'timers may be a little early')
})

test('a redirect is not followed, and a receiver that is gone is left alone', async t => {
  const target = await receiverWith(t)
  const receiver = await receiverWith(t, res => res.writeHead(307, { location: target.url }).end(), 410)
  t.match(await deliver({ url: receiver.url }), {
    delivered: false,
    reason: /307, and redirects are not followed/,
    tries: 1,
  })
  t.match(await deliver({ url: receiver.url }), { delivered: false, reason: /410/, tries: 1 })
  t.equal(target.received.length, 0)
})

test('where the answer matters a definite no is final, and one that says later is not', async t => {
  for (const status of [400, 404, 422, 499]) {
    const receiver = await receiverWith(t, status, 200)
    t.match(await deliver({ url: receiver.url, isAsking: true }), { delivered: false, status, tries: 1 }, `${status}`)
  }
  for (const status of [408, 429, 500]) {
    const receiver = await receiverWith(t, status, 200)
    t.match(await deliver({ url: receiver.url, isAsking: true }), { delivered: true, tries: 2 }, `${status}`)
  }
})

test('a private address is refused, given outright or by a name, before anything is sent', async t => {
  const receiver = await receiverWith(t)
  const asked: string[] = []
  const resolving = (...addresses: string[]) => ({
    allowPrivateHosts: false,
    async resolveHost(host: string) {
      asked.push(host)
      return addresses
    },
  })
  const refused = { delivered: false, reason: /not a public address/, tries: 1 }
  t.match(await deliver({ url: `https://127.0.0.1:${receiver.port}/` }, { allowPrivateHosts: false }), refused)
  t.match(await deliver({ url: `https://ci.example.com:${receiver.port}/` }, resolving('127.0.0.1')), refused)
  t.match(
    await deliver({ url: `https://ci.example.com:${receiver.port}/` }, resolving('9.9.9.9', '::1')),
    refused,
    'one of several is enough',
  )
  t.same(asked, ['ci.example.com', 'ci.example.com'])
  t.match(await deliver({ url: receiver.url }, { allowPrivateHosts: false }), {
    delivered: false,
    reason: /not an https URL/,
  })
  t.throws(() => createCallbacks({ keys: KEYS, allowPrivateHosts: false }).check('https://10.0.0.1/'), {
    code: 'ADDRESS_REFUSED',
  })
  t.equal(receiver.received.length, 0)
})

test('the connection goes to the address that was checked, under the name that was given', async t => {
  const receiver = await receiverWith(t)
  t.match(
    await deliver({ url: `http://ci.invalid:${receiver.port}/hook` }, { resolveHost: async () => ['127.0.0.1'] }),
    { delivered: true },
  )
  t.equal(receiver.received[0]?.headers.host, `ci.invalid:${receiver.port}`)
})

test('a name that does not resolve is tried again', async t => {
  let asked = 0
  const found = await deliver(
    { url: 'https://ci.example.com/' },
    {
      async resolveHost() {
        asked++
        throw new Error('queryA ESERVFAIL')
      },
    },
  )
  t.match(found, { delivered: false, reason: /ESERVFAIL/, tries: 5 })
  t.equal(asked, 5)
})

test('a receiver that does not answer, or whose answer has no end, holds nothing up', async t => {
  const silent = await receiverWith(t, () => {})
  t.match(await deliver({ url: silent.url }, { timeoutMs: 50, delaysMs: [] }), {
    delivered: false,
    reason: 'it did not answer within 0.05 s',
    tries: 1,
  })
  const endless = await receiverWith(t, res => {
    res.writeHead(200)
    const more = (): void => {
      if (!res.destroyed) res.write(Buffer.alloc(16_384), more)
    }
    more()
  })
  t.match(await deliver({ url: endless.url }), { delivered: true, status: 200 })
})

test('nobody there is an answer, too', async t => {
  const receiver = await startCallbackReceiver()
  await receiver[Symbol.asyncDispose]()
  t.match(await deliver({ url: receiver.url }), { delivered: false, reason: /ECONNREFUSED/, tries: 5 })
})

test('an abort ends a delivery, in the middle of a request and between two', async t => {
  const reason = new Error('cancelled')
  const silent = await receiverWith(t, () => {})
  const during = new AbortController()
  const first = deliver({ url: silent.url, signal: during.signal })
  await silent.waitFor(1)
  during.abort(reason)
  await t.rejects(first, reason)

  const failing = await receiverWith(t, 500)
  const between = new AbortController()
  const second = deliver({ url: failing.url, signal: between.signal }, { delaysMs: [3_600_000] })
  await failing.waitFor(1)
  await delay(20)
  between.abort(reason)
  await t.rejects(second, reason)
})
