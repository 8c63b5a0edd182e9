import fc from 'fast-check'
import { test } from 'tap'
import {
  readForward,
  SeenRequests,
  signForward,
  type ForwardedRequest,
} from '../../../src/cluster/forwarding/signature.ts'
import { runs } from '../../helpers/property-runs.ts'

const SECRET = 's'.repeat(24)
const NOW = Date.UTC(2026, 10, 26)
const REQUEST: ForwardedRequest = {
  to: 'two',
  method: 'POST',
  path: '/resolve?wait=3',
  keyName: 'ann',
  access: { mayWrite: false, projects: ['shop'] },
  ip: '192.0.2.7',
  requestId: 'req_1',
  from: 'one',
  bodySha256: 'ab'.repeat(32),
}
const read = (header: string, more: object = {}, secret = SECRET, now = NOW) =>
  readForward(header, { method: REQUEST.method, path: REQUEST.path, to: 'two', ...more }, secret, now)

test('who sent a request comes to the second node as the first one found it out', async t => {
  const text = fc.string({ maxLength: 20 })
  fc.assert(
    fc.property(
      fc.option(text),
      fc.boolean(),
      fc.option(fc.array(text, { maxLength: 5 })),
      text,
      (keyName, mayWrite, projects, ip) => {
        const { to: _to, method: _method, path: _path, ...caller } = REQUEST
        const sent = { ...caller, keyName, access: { mayWrite, projects }, ip }
        const header = signForward({ ...REQUEST, ...sent }, SECRET, NOW)
        return /^[\w.-]+$/.test(header) && t.same(read(header), sent)
      },
    ),
    { numRuns: runs(200) },
  )
})

test('a header that was changed anywhere is refused', async t => {
  const header = signForward(REQUEST, SECRET, NOW)
  fc.assert(
    fc.property(fc.nat(header.length - 1), fc.constantFrom(...'AZaz09-_.'), (at, char) => {
      const changed = header.slice(0, at) + char + header.slice(at + 1)
      return changed === header || 'problem' in read(changed)
    }),
    { numRuns: runs(1_000) },
  )
  t.pass()
})

test('it holds for one request to one node within half a minute, and with the secret alone', async t => {
  const header = signForward(REQUEST, SECRET, NOW)
  const problems: Array<[ReturnType<typeof read>, RegExp]> = [
    [read(header, {}, 'x'.repeat(24)), /not signed/],
    [read(header, { to: 'three' }), /another node/],
    [read(header, { method: 'GET' }), /another request/],
    [read(header, { path: '/resolve?wait=60' }), /another request/],
    [read(header, {}, SECRET, NOW + 31_000), /30 s/],
    [read(header, {}, SECRET, NOW - 31_000), /30 s/],
    [read(''), /not signed/],
    [read('a.b.c'), /not signed/],
    [read('x'.repeat(20_000)), /too long/],
  ]
  for (const [answer, problem] of problems) t.match(answer, { problem })
  t.match(read(header, {}, SECRET, NOW + 29_000), { keyName: 'ann' })
})

test('a header that comes again is known as long as it is good', async t => {
  let now = 0
  const seen = new SeenRequests(() => now)
  const [one, two] = [signForward(REQUEST, SECRET, NOW), signForward(REQUEST, SECRET, NOW + 1)]
  t.notOk(seen.has(one))
  t.ok(seen.has(one))
  now = 60_001
  t.notOk(seen.has(two))
  t.ok(seen.has(one), 'and a turn longer')
  now = 120_002
  t.notOk(seen.has('a.b'))
  t.notOk(seen.has(one), 'then its time is over')
})
