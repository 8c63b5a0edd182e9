import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'tap'
import { isSignedWebhook, signWebhook, webhookHeadersProblem, webhookKey } from '../../src/core/webhook.ts'

const NOW = new Date('2026-03-01T12:00:00.700Z')
const SECONDS = Math.floor(NOW.getTime() / 1000)
const KEY = Buffer.from('a secret of some length')
const BODY = Buffer.from('{"log":"é"}')
const sign = (key: Buffer, id = 'msg_1', timestamp = SECONDS, body = BODY) =>
  `v1,${createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]))
    .digest('base64')}`
const headers = (signature: string) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(SECONDS),
  'webhook-signature': signature,
})

test('the example of the standard is signed as the standard says', async t => {
  const key = webhookKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') ?? Buffer.alloc(0)
  const signed = signWebhook({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    keys: [key],
    now: new Date(1_614_265_330_000),
  })
  t.equal(signed['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  t.equal(signed['webhook-timestamp'], '1614265330')
})

test('a secret is base64 behind whsec_, else the text itself', async t => {
  t.same(webhookKey('whsec_c2VjcmV0'), Buffer.from('secret'))
  t.same(webhookKey('c2VjcmV0'), Buffer.from('c2VjcmV0'))
  t.equal(webhookKey('whsec_not base64'), null)
  t.equal(webhookKey('whsec_'), null)
  t.equal(webhookKey('whsec_abcde'), null)
})

const OTHER = Buffer.from('another secret')
const SIGNATURES: Array<[string, string, boolean]> = [
  ['the right one', sign(KEY), true],
  ['the right one after wrong ones', `${sign(OTHER)} v1a,xyz ${sign(KEY)}`, true],
  ['of another key', sign(OTHER), false],
  ['over another id', sign(KEY, 'msg_2'), false],
  ['over another time', sign(KEY, 'msg_1', SECONDS - 1), false],
  ['over another body', sign(KEY, 'msg_1', SECONDS, Buffer.from('{}')), false],
  ['of another version', sign(KEY).replace('v1,', 'v2,'), false],
  ['without a version', sign(KEY).slice(3), false],
  ['cut', sign(KEY).slice(0, -1), false],
  ['with more behind', `${sign(KEY)}x`, false],
  ['in hex', `v1,${Buffer.from(sign(KEY).slice(3), 'base64').toString('hex')}`, false],
  ['empty', '', false],
  ['v1,', 'v1,', false],
  ['behind too many', `${'v1,x '.repeat(10)}${sign(KEY)}`, false],
]

for (const [name, signature, expected] of SIGNATURES) {
  test(`a signature ${name} is ${expected ? '' : 'not '}taken`, async t => {
    t.equal(isSignedWebhook(headers(signature), BODY, [KEY]), expected)
  })
}

test('while secrets change each of them is taken', async t => {
  t.ok(isSignedWebhook(headers(sign(KEY)), BODY, [OTHER, KEY]))
  t.ok(isSignedWebhook(headers(sign(OTHER)), BODY, [OTHER, KEY]))
  t.notOk(isSignedWebhook(headers(sign(KEY)), BODY, []))
})

const HEADERS: Array<[string, Record<string, unknown>, RegExp | null]> = [
  ['all well', {}, null],
  ['299 seconds old', { 'webhook-timestamp': String(SECONDS - 299) }, null],
  ['299 seconds ahead', { 'webhook-timestamp': String(SECONDS + 299) }, null],
  ['5 minutes old', { 'webhook-timestamp': String(SECONDS - 300) }, /5 minutes/],
  ['5 minutes ahead', { 'webhook-timestamp': String(SECONDS + 300) }, /5 minutes/],
  ['in milliseconds', { 'webhook-timestamp': String(NOW.getTime()) }, /seconds since 1970/],
  ['no number', { 'webhook-timestamp': '1e9' }, /seconds since 1970/],
  ['no id', { 'webhook-id': undefined }, /are needed/],
  ['an empty id', { 'webhook-id': '' }, /webhook-id/],
  ['an id that could be moved into the time', { 'webhook-id': `a.${SECONDS}` }, /full stop/],
  ['an id of two headers', { 'webhook-id': ['a', 'b'] }, /are needed/],
  ['a long id', { 'webhook-id': 'x'.repeat(256) }, /255/],
  ['no signature', { 'webhook-signature': undefined }, /are needed/],
]

for (const [name, changed, expected] of HEADERS) {
  test(`headers with ${name}: ${expected === null ? 'taken' : 'refused'}`, async t => {
    const problem = webhookHeadersProblem({ ...headers(sign(KEY)), ...changed }, NOW)
    if (expected === null) t.equal(problem, null)
    else t.match(problem, expected)
  })
}

test('what is signed here is taken here, with any of the keys, and not when a byte differs', async t => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { minLength: 1, maxLength: 3 }),
      fc.nat(),
      (bytes, secrets, at) => {
        const [body, keys] = [Buffer.from(bytes), secrets.map(secret => Buffer.from(secret))]
        const signed = signWebhook({ id: 'job-1', body, keys, now: NOW })
        const changed = Buffer.concat([body, Buffer.from([0])])
        changed[at % changed.length] = ((changed[at % changed.length] ?? 0) + 1) % 256
        return (
          webhookHeadersProblem(signed, NOW) === null &&
          keys.every(key => isSignedWebhook(signed, body, [key])) &&
          !isSignedWebhook(signed, changed, keys)
        )
      },
    ),
  )
  t.pass()
})
