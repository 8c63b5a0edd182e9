import { test } from 'tap'
import { allowedAddress, targetOf } from '../../../src/sandbox/network/egress-rules.ts'
import { configuredRegistries, egressEnv } from '../../../src/sandbox/network/registries.ts'

test("without configuration npm's and pip's own registries may be reached", async t => {
  t.same(
    configuredRegistries({}, '/nonexistent').hosts.filter(host => /npmjs|pypi|pythonhosted/.test(host)),
    ['registry.npmjs.org', 'pypi.org', 'files.pythonhosted.org'],
  )
})

test('npm and pip are asked for theirs: the environment first, then files of the home; passwords stay behind', async t => {
  const home = t.testdir({
    '.npmrc':
      'registry=https://ann:secret@npm.example.com/repo/\n@acme:registry=https://acme.example.com:8443/\n//npm.example.com/:_authToken=secret\n',
    '.pip': {
      'pip.conf':
        '[global]\nindex-url = https://py.example.com/simple\nextra-index-url = https://extra.example.com/simple file:///opt/x\n',
    },
  })
  const { hosts, env } = configuredRegistries({}, home)
  t.same(hosts, ['npm.example.com', 'acme.example.com:8443', 'py.example.com', 'extra.example.com'])
  t.same(env, {
    npm_config_registry: 'https://npm.example.com/repo/',
    PIP_INDEX_URL: 'https://py.example.com/simple',
    PIP_EXTRA_INDEX_URL: 'https://extra.example.com/simple',
  })
  t.match(configuredRegistries({ npm_config_registry: 'http://127.0.0.1:4873', PIP_INDEX_URL: 'not a url' }, home), {
    hosts: ['127.0.0.1:4873', 'acme.example.com:8443', 'extra.example.com'],
  })
})

test("pip's further registries may stand in a line each", async t => {
  const home = t.testdir({
    '.config': {
      pip: {
        'pip.conf':
          '[global]\nextra-index-url =\n    https://a.example.com/simple\n    https://b.example.com/simple\n\ntimeout = 5\n',
      },
    },
  })
  t.same(configuredRegistries({ PIP_INDEX_URL: 'https://py.example.com/simple' }, home).hosts.slice(-3), [
    'py.example.com',
    'a.example.com',
    'b.example.com',
  ])
})

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
  for (const [address, message] of refused) await t.rejects(address, { message })
  t.equal(
    await allowedAddress({ host: 'inner.example', port: 443, isTls: true }, { ...rules, allowPrivateHosts: true }),
    '127.0.0.1',
  )
  t.equal(
    await allowedAddress({ host: 'good.example', port: 80, isTls: false }, { ...rules, allowPrivateHosts: true }),
    '93.184.216.34',
  )
})

test('a registry at a name of this machine goes through the proxy, and servers of the program itself do not', async t => {
  const noProxy = (registries: string[]) => egressEnv({ registries, registryEnv: {} }).NO_PROXY
  t.equal(noProxy(['registry.npmjs.org']), 'localhost,127.0.0.1,::1')
  t.equal(noProxy(['localhost:4873']), '127.0.0.1,::1')
  t.equal(noProxy(['127.0.0.1:4873', '[::1]:8080']), 'localhost')
})
