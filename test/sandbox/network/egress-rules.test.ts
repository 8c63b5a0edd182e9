import { test } from 'tap'
import { allowedAddress, targetOf, whyUnreachable } from '../../../src/sandbox/network/egress-rules.ts'

test('a target of CONNECT is host:port and nothing else', async t => {
  t.same(targetOf('registry.npmjs.org:443'), { host: 'registry.npmjs.org', port: 443, isTls: true })
  t.same(targetOf('[::1]:8443'), { host: '::1', port: 8443, isTls: true })
  t.match(targetOf('0x7f.1:443'), { host: '127.0.0.1' }, 'however an address is written')
  for (const wrong of [
    '',
    'host',
    'host:',
    ':443',
    'user@host:443',
    'host:443/path',
    'host:443?x',
    'host:99999',
    'a b:443',
  ]) {
    t.equal(targetOf(wrong), null, wrong)
  }
})

test('only listed hosts at their port are reached, at an address that everyone may reach', async t => {
  const resolved = new Map([
    ['good.example', ['93.184.216.34']],
    ['mixed.example', ['93.184.216.34', '10.0.0.1']],
    ['inner.example', ['127.0.0.1']],
  ])
  const rules = {
    registries: [
      'good.example',
      'mixed.example',
      'inner.example',
      'other.example:8443',
      'gone.example',
      '127.0.0.1:4873',
    ],
    allowPrivateHosts: false,
    resolveHost: async (host: string) => resolved.get(host) ?? [],
  }
  const at = (host: string, port = 443, isTls = true) => allowedAddress({ host, port, isTls }, rules)
  t.equal(await at('good.example'), '93.184.216.34')
  const refused: Array<[Promise<string>, RegExp]> = [
    [at('good.example', 80), /not one of/],
    [at('good.example', 22), /not one of/],
    [at('sub.good.example'), /not one of/],
    [at('good.example.evil.test'), /not one of/],
    [at('other.example'), /not one of/],
    [at('mixed.example'), /not a public/],
    [at('inner.example'), /not a public/],
    [at('127.0.0.1', 4873), /not a public/],
    [at('gone.example'), /cannot be resolved/],
    [at('good.example', 80, false), /plain HTTP/],
  ]
  await Promise.all(refused.map(([address, message]) => t.rejects(address, { message })))
  t.equal(
    await allowedAddress({ host: 'inner.example', port: 443, isTls: true }, { ...rules, allowPrivateHosts: true }),
    '127.0.0.1',
  )
  t.equal(
    await allowedAddress({ host: 'good.example', port: 80, isTls: false }, { ...rules, allowPrivateHosts: true }),
    '93.184.216.34',
  )
})

test('a run that can reach none of its registries is told before it waits', async t => {
  const resolved = new Map([
    ['good.example', ['93.184.216.34']],
    ['inner.example', ['10.0.0.1']],
  ])
  const resolveHost = async (host: string) => resolved.get(host) ?? []
  const of = (registries: string[], allowPrivateHosts = false) =>
    whyUnreachable({ registries, allowPrivateHosts, resolveHost })
  t.equal(
    await of(['inner.example', 'gone.example:8443']),
    'inner.example is not a public address; gone.example cannot be resolved',
  )
  t.equal(await of(['inner.example', 'good.example']), null, 'one of them may be all that is needed')
  t.equal(await of(['inner.example'], true), null)
  t.equal(await of([]), null)
})
