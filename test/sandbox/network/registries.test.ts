import { test } from 'tap'
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

test('a registry at a name of this machine goes through the proxy, and servers of the program itself do not', async t => {
  const noProxy = (registries: string[]) => egressEnv({ registries, registryEnv: {} }).NO_PROXY
  t.equal(noProxy(['registry.npmjs.org']), 'localhost,127.0.0.1,::1')
  t.equal(noProxy(['localhost:4873']), '127.0.0.1,::1')
  t.equal(noProxy(['127.0.0.1:4873', '[::1]:8080']), 'localhost')
})

test("pip's further registries may be several in its variable, and all of them are kept", async t => {
  const extra = 'https://ann:secret@a.example.com/simple https://b.example.com:8443/simple'
  const { hosts, env } = configuredRegistries({ PIP_EXTRA_INDEX_URL: extra }, '/nonexistent')
  t.same(hosts.slice(-3), ['a.example.com', 'b.example.com:8443', 'files.pythonhosted.org'])
  t.equal(env.PIP_EXTRA_INDEX_URL, 'https://a.example.com/simple https://b.example.com:8443/simple')
})
