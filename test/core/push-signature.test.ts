import { createHmac } from 'node:crypto'
import { test } from 'tap'
import { deliveryOf, isSignedPush, pushProvider } from '../../src/core/push-signature.ts'
import { signWebhook } from '../../src/core/webhook.ts'

const now = new Date('2026-11-24T12:00:00Z')
const body = Buffer.from('{"ref":"refs/heads/main"}')
const key = Buffer.from('a secret of the hook')
const hex = createHmac('sha256', key).update(body).digest('hex')
const keys = [Buffer.from('the one before'), key]

test('each forge is known by its headers and checked as it signs', t => {
  const signed = {
    github: [{ 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${hex}` }],
    gitea: [
      { 'x-gitea-event': 'push', 'x-github-event': 'push', 'x-gitea-signature': hex },
      { 'x-forgejo-event': 'push', 'x-forgejo-signature': hex, 'x-gitea-signature': 'ignored' },
    ],
    gitlab: [
      { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': key.toString() },
      { 'x-gitlab-event': 'Push Hook', ...signWebhook({ id: 'd1', body, keys: [key], now }) },
    ],
  } as const
  for (const [provider, sent] of Object.entries(signed)) {
    for (const headers of sent) {
      const found = pushProvider(headers)
      t.equal(found, provider)
      if (found === null) continue
      t.ok(isSignedPush(found, { headers, body, keys, now }), provider)
      t.notOk(isSignedPush(found, { headers, body, keys: keys.slice(0, 1), now }), `${provider}, another secret`)
      t.notOk(isSignedPush(found, { headers, body, keys: [], now }), `${provider}, no secret`)
      const changed = Buffer.from('{"ref":"refs/heads/evil"}')
      const isToken = 'x-gitlab-token' in headers
      t.equal(isSignedPush(found, { headers, body: changed, keys, now }), isToken, `${provider}, another body`)
    }
  }
  t.end()
})

test('what is no signature is refused', t => {
  const values = ['', 'sha256=', `sha1=${hex}`, hex, `sha256=${hex.slice(1)}`, `sha256=${hex}0`]
  for (const value of values) {
    t.notOk(isSignedPush('github', { headers: { 'x-hub-signature-256': value }, body, keys, now }), value)
  }
  const late = signWebhook({ id: 'd1', body, keys: [key], now: new Date(now.getTime() - 301_000) })
  t.notOk(isSignedPush('gitlab', { headers: late, body, keys, now }), 'a signature of long ago')
  t.equal(pushProvider({ 'webhook-signature': 'v1,x' }), null)
  t.end()
})

test('a delivery is known by its own name, or else by what it says', t => {
  t.equal(deliveryOf('github', { 'x-github-delivery': 'd1' }, body), 'd1')
  t.equal(deliveryOf('gitlab', { 'idempotency-key': 'd2', 'x-gitlab-event-uuid': 'e' }, body), 'd2')
  t.match(deliveryOf('gitlab', {}, body), /^[0-9a-f]{64}$/)
  t.end()
})
