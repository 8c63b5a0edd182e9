import { test } from 'tap'
import fc from 'fast-check'
import { FaultlineError } from '../../../src/core/errors.ts'
import { parseRepositoryUrl, showUrl } from '../../../src/repos/remote/repository-url.ts'
import { runs } from '../../helpers/property-runs.ts'

const PUBLIC = { allowLocalRepos: [], allowPrivateHosts: false }

const PRIVATE = { allowLocalRepos: [], allowPrivateHosts: true }

const ALLOWED: Array<[text: string, url: string, repository: string]> = [
  ['https://github.com/user/repo', 'https://github.com/user/repo', 'repo'],
  ['https://github.com/user/repo.git', 'https://github.com/user/repo.git', 'repo'],
  ['HTTPS://GitHub.COM/user/Repo.git/', 'https://github.com/user/Repo.git', 'Repo'],
  ['https://github.com:443/user/repo', 'https://github.com/user/repo', 'repo'],
  ['https://github.com./user/repo', 'https://github.com/user/repo', 'repo'],
  ['https://git.example.com:8443/a/b/c', 'https://git.example.com:8443/a/b/c', 'c'],
  ['https://dev.azure.com/org/My%20Project/_git/repo', 'https://dev.azure.com/org/My%20Project/_git/repo', 'repo'],
  ['https://example.com/a@b/c+d', 'https://example.com/a@b/c+d', 'c-d'],
  ['https://bücher.example/buch', 'https://xn--bcher-kva.example/buch', 'buch'],
  ['https://1.1.1.1/a/b', 'https://1.1.1.1/a/b', 'b'],
  ['https://[2606:4700:4700::1111]/a/b', 'https://[2606:4700:4700::1111]/a/b', 'b'],
  ['https://gitlab.com/group/sub/.dotted', 'https://gitlab.com/group/sub/.dotted', 'dotted'],
  ['https://github.com/org/-repo.git', 'https://github.com/org/-repo.git', 'repo'],
  ['https://github.com/-org/repo', 'https://github.com/-org/repo', 'repo'],
  ['https://github.com/%2dorg/--repo', 'https://github.com/-org/--repo', 'repo'],
  ['ssh://git@github.com/org/-repo.git', 'ssh://git@github.com/org/-repo.git', 'repo'],
  ['git@github.com:org/-repo.git', 'git@github.com:org/-repo.git', 'repo'],
  ['https://пример.com/a/b', 'https://xn--e1afmkfd.com/a/b', 'b'],
  ['ssh://git@github.com/user/repo.git', 'ssh://git@github.com/user/repo.git', 'repo'],
  ['ssh://git@github.com:22/user/repo.git', 'ssh://git@github.com/user/repo.git', 'repo'],
  ['ssh://git@ssh.github.com:443/user/repo.git', 'ssh://git@ssh.github.com:443/user/repo.git', 'repo'],
  ['ssh://host.example.com/~me/repo', 'ssh://host.example.com/~me/repo', 'repo'],
  ['git+ssh://git@github.com/user/repo', 'ssh://git@github.com/user/repo', 'repo'],
  ['git@github.com:user/repo.git', 'git@github.com:user/repo.git', 'repo'],
  ['git@GitHub.com:user/repo', 'git@github.com:user/repo', 'repo'],
  ['github.com:user/repo', 'github.com:user/repo', 'repo'],
  ['org-12345@github.com:user/repo', 'org-12345@github.com:user/repo', 'repo'],
  ['git@host.example.com:/srv/git/repo.git', 'git@host.example.com:/srv/git/repo.git', 'repo'],
]

const BAD = [
  '',
  ' ',
  '-',
  '--',
  '--upload-pack=touch /tmp/x',
  '--upload-pack=x',
  '-u',
  '-oProxyCommand=x',
  'repo',
  './repo',
  '../repo',
  '~/repo',
  'C:\\repo',
  '\\\\host\\share',
  'ext::sh -c touch% /tmp/x',
  'ext::sh',
  'EXT::sh',
  'fd::17',
  'fd::0,1/x',
  'transport::address',
  'a::b',
  'https::https://github.com/a/b',
  'git://github.com/user/repo',
  'ftp://host.example.com/a/b',
  'ftps://host.example.com/a/b',
  'rsync://host.example.com/a',
  'data:text/plain,x',
  'javascript:alert(1)',
  'ext://x/y',
  'gopher://a/b',
  'http://github.com/user/repo',
  'HTTP://github.com/user/repo',
  'https:/github.com/user/repo',
  'https:github.com/user/repo',
  'https//github.com/user/repo',
  '://github.com/a/b',
  'file://host/srv/repo',
  'file:relative',
  'file:/srv',
  'file://',
  'file:///a?b',
  'file:///a#b',
  'file:///a%00b',
  'file:///a%zz',
  'FILE://host/x',
  'https://',
  'https:///a/b',
  'https://github.com',
  'https://github.com/',
  'https://github.com//',
  'https://github.com//a/b',
  'https://github.com/a//b',
  'https://github.com/.',
  'https://github.com/..',
  'https://github.com/a/../b',
  'https://github.com/./a',
  'https://github.com/user/.git',
  'https://github.com/user/...',
  'https://github.com/user/-',
  'https://github.com/-oProxyCommand=x/repo',
  'https://github.com/--upload-pack=x',
  'https://github.com/a/b?c=d',
  'https://github.com/a/b#c',
  'https://github.com/a/b?',
  'https://github.com/a/b#',
  'https://github.com?/a/b',
  'https://github.com/a%2fb',
  'https://github.com/a%2Fb/c',
  'https://github.com/%2e%2e/c',
  'https://github.com/a%5cb',
  'https://github.com/a%00b',
  'https://github.com/a%0ab',
  'https://github.com/a%',
  'https://github.com/a%zz',
  'https://github.com/%ff/b',
  'https://github.com/a%252e/b',
  'https://github.com/a%40b',
  'https://github.com/a/-x=y',
  'https://github.com/a/%2dx=y',
  'https://github.com/-c@x/b',
  'https://gitlab.com/a/b/-/tree/main',
  'https://github.com/a%1bb',
  'https://user@github.com/a/b',
  'https://user:pass@github.com/a/b',
  'https://ghp_0123456789@github.com/a/b',
  'https://:@github.com/a/b',
  'https://@github.com/a/b',
  'https://x:y@z@github.com/a/b',
  'https://github.com@evil.example/a/b',
  'https://git hub.com/a/b',
  'https://github.com/a b',
  ' https://github.com/a/b',
  'https://github.com/a/b\n',
  'https://github.com/a/b\r\nHost: x',
  'https://github.com/a\tb',
  'https://github.com/a\0b',
  'https://github.com/a\u0085b',
  'https://github.com/a\u2028b',
  'https://github.com/a\u202eb',
  'https://git\u200bhub.com/a/b',
  'https://git\u00adhub.com/a/b',
  'https://github.com/a\ud800b',
  'https://github.com\\a\\b',
  'https:\\\\github.com\\a\\b',
  'https://github.com/a\\b',
  'https://github.com/a;b',
  'https://github.com/a$(id)',
  'https://github.com/`id`',
  "https://github.com/a'b",
  'https://github.com/a"b',
  'https://github.com/a|b',
  'https://github.com/<b>',
  'https://github.com/a*',
  'https://github.com/a:b',
  'https://-host.example.com/a/b',
  'https://.example.com/a/b',
  'https://a..b/c',
  'https://example.com../a/b',
  'https://exa%6dple.com/a/b',
  'https://[::1/a/b',
  'https://::1/a/b',
  'https://[fe80::1%25eth0]/a/b',
  'https://[zz]/a/b',
  'https://1.2.3.4.5/a/b',
  'https://256.1.1.1/a/b',
  'https://a,b/c',
  'https://a_;b/c',
  'https://github.com:80/a/b',
  'https://github.com:0/a/b',
  'https://github.com:21/a/b',
  'https://github.com:25/a/b',
  'https://github.com:1023/a/b',
  'https://github.com:65536/a/b',
  'https://github.com:99999999/a/b',
  'https://github.com:/a/b',
  'https://github.com:443:22/a/b',
  'https://github.com:-1/a/b',
  'https://github.com:0x50/a/b',
  'ssh://-oProxyCommand=touch/x',
  'ssh://-oProxyCommand=touch%20x/repo',
  'ssh://git@-oProxyCommand=x/repo',
  'ssh://-l@host.example.com/repo',
  'ssh://git:secret@github.com/a/b',
  'ssh://github.com',
  'ssh://github.com/',
  'ssh://github.com/a%20b',
  'ssh://github.com/a?b',
  'ssh://github.com:25/a/b',
  'ssh://a@b@github.com/a/b',
  'ssh://github.com/a b',
  'ssh://github.com/-x',
  'ssh://github.com/-x/a',
  'ssh://github.com/a/-o=x',
  'ssh:///a/b',
  "ssh://github.com/a'b",
  'ssh://git@github.com/a\u00a0b',
  '-oProxyCommand=x:repo',
  'git@-oProxyCommand=x:repo',
  '-x@github.com:a/b',
  'git@github.com:',
  'git@github.com:-x',
  'git@github.com:/-x',
  'git@github.com:-x/a',
  'git@github.com:a/-o=x',
  'git@gіthub.com:a/b', // Cyrillic і
  'ssh://git@xn--gthub-n2e.com/a/b',
  'ssh://gіthub.com/a/b',
  'https://gіthub.com/a/b',
  'https://xn--gthub-n2e.com/a/b',
  'https://git.раypal.com/a/b',
  'git@github.com:../a',
  'git@github.com:a/./b',
  'git@github.com::a/b',
  'git@github.com:22:a/b',
  'git:pw@github.com:a/b',
  'git@github.com:a b',
  'git@github.com:a%20b',
  'git@github.com:a;b',
  'git@github.com:$(id)',
  'git@github.com:.git',
  'git@:a/b',
  '@github.com:a/b',
  ':a/b',
  'git@github.com:~',
  'https://github.com/' + 'a'.repeat(2_048),
]

const PRIVATE_HOSTS = [
  'https://localhost/a/b',
  'https://LOCALHOST/a/b',
  'https://localhost./a/b',
  'https://x.localhost/a/b',
  'https://127.0.0.1/a/b',
  'https://127.1/a/b',
  'https://2130706433/a/b',
  'https://0x7f000001/a/b',
  'https://0x7f.1/a/b',
  'https://0177.0.0.1/a/b',
  'https://017700000001/a/b',
  'https://①②⑦.⓪.⓪.①/a/b',
  'https://１２７.０.０.１/a/b',
  'https://127。0。0。1/a/b',
  'https://0/a/b',
  'https://0.0.0.0/a/b',
  'https://10.0.0.1:8443/a/b',
  'https://172.16.5.4/a/b',
  'https://192.168.0.1/a/b',
  'https://169.254.169.254/latest/meta-data',
  'https://2852039166/latest/x',
  'https://100.64.0.1/a/b',
  'https://168.63.129.16/a/b',
  'https://255.255.255.255/a/b',
  'https://224.0.0.1/a/b',
  'https://[::1]/a/b',
  'https://[::]/a/b',
  'https://[::ffff:127.0.0.1]/a/b',
  'https://[::ffff:7f00:1]/a/b',
  'https://[::127.0.0.1]/a/b',
  'https://[64:ff9b::7f00:1]/a/b',
  'https://[2002:7f00:1::]/a/b',
  'https://[fe80::1]/a/b',
  'https://[fc00::1]/a/b',
  'https://[fd00:ec2::254]/a/b',
  'https://[2001:db8::1]/a/b',
  'https://[0:0:0:0:0:0:0:1]/a/b',
  'https://metadata.google.internal/a/b',
  'https://printer.local/a/b',
  'https://ip6-localhost/a/b',
  'ssh://git@127.0.0.1/a/b',
  'ssh://git@2130706433/a/b',
  'ssh://git@0x7f.1/a/b',
  'ssh://git@localhost:2222/a/b',
  'ssh://[::1]/a/b',
  'git@127.0.0.1:a/b',
  'git@2130706433:a/b',
  'git@0177.1:a/b',
  'git@localhost:a/b',
  'git@[::1]:a/b',
  'git@[::ffff:10.0.0.1]:a/b',
  '①②⑦.⓪.⓪.①:a/b',
]

/** TAP gives a meaning to some characters in the name of an assertion. */
const label = (text: string) => encodeURIComponent(text.slice(0, 80).toWellFormed())

test('a URL of an allowed kind is brought into one spelling', async t => {
  for (const [text, url, repository] of ALLOWED) {
    t.match(await parseRepositoryUrl(text, PUBLIC), { url, repository }, text)
  }
})

test('two spellings of one remote are one, and two remotes are two', async t => {
  const identity = async (text: string) => (await parseRepositoryUrl(text, PUBLIC)).identity
  t.equal(await identity('https://github.com/a/b'), await identity('HTTPS://GITHUB.com:443/a/b.git/'))
  t.equal(await identity('git@github.com:a/b'), await identity('git@github.com:a/b.git'))
  t.equal(await identity('ssh://git@github.com/a/b'), await identity('ssh://git@github.com:22/a/b.git'))
  const different = [
    'https://github.com/a/b',
    'https://github.com/a/B',
    'https://github.com:8443/a/b',
    'ssh://git@github.com/a/b',
    'ssh://me@github.com/a/b',
    'git@github.com:a/b',
    'git@github.com:~/a/b',
    'https://gitlab.com/a/b',
  ]
  t.equal(new Set(await Promise.all(different.map(identity))).size, different.length)
  t.equal(await identity('git@github.com:/a/b'), await identity('ssh://git@github.com/a/b'))
})

test('everything else is refused as no repository URL', async t => {
  t.ok(BAD.length + PRIVATE_HOSTS.length > 150)
  for (const text of BAD) await t.rejects(parseRepositoryUrl(text, PUBLIC), { code: 'BAD_REPOSITORY_URL' }, label(text))
})

test('a host that is private whatever the resolver says is refused, however it is written', async t => {
  for (const text of PRIVATE_HOSTS) {
    await t.rejects(parseRepositoryUrl(text, PUBLIC), { code: 'ADDRESS_REFUSED', fix: /ALLOW_PRIVATE_HOSTS/ }, text)
  }
})

test('ALLOW_PRIVATE_HOSTS lets private hosts and http in, and nothing else', async t => {
  t.match(await parseRepositoryUrl('http://127.0.0.1:8080/a/b.git', PRIVATE), {
    kind: 'http',
    host: '127.0.0.1',
    port: 8080,
  })
  t.match(await parseRepositoryUrl('http://localhost/a/b.git', PRIVATE), { port: 80, url: 'http://localhost/a/b.git' })
  t.match(await parseRepositoryUrl('git@[::1]:a/b', PRIVATE), { kind: 'ssh', host: '::1', url: 'git@[::1]:a/b' })
  for (const text of PRIVATE_HOSTS) t.ok(await parseRepositoryUrl(text, PRIVATE), text)
  for (const text of BAD.filter(url => !/^http:/i.test(url))) {
    await t.rejects(parseRepositoryUrl(text, PRIVATE), { code: 'BAD_REPOSITORY_URL' }, label(text))
  }
  await t.rejects(parseRepositoryUrl('http://127.0.0.1:25/a/b.git', PRIVATE), { code: 'BAD_REPOSITORY_URL' })
})

test('a refusal says what is wrong, and shows the URL with its scheme and its host', async t => {
  const why = async (url: string) => parseRepositoryUrl(url, PUBLIC).catch((error: Error) => error.message)
  t.match(await why('ssh:///a/b'), 'has no host')
  t.match(await why('ssh://github.com'), 'has no path')
  t.match(await why('https:///a/b'), 'has no host')
  t.match(await why('https:///a@b/c'), 'has no host', 'what stands in its path is no user name')
  t.equal(showUrl('https://user:pass@github.com/a/b'), 'https://***@github.com/a/b')
  t.equal(showUrl('git:pass@github.com:a/b'), '***@github.com:a/b')
})

test('a refusal shows neither credentials nor control characters', async t => {
  const secret = 'ghp_S3cr3t'
  const urls = [
    `https://user:${secret}@github.com/a/b`,
    `https://${secret}@github.com/a/b`,
    `https://user:${secret}/x@github.com/a/b`,
    `https:/user:${secret}@github.com/a/b`,
    `ssh://git:${secret}@github.com/a`,
    `git:${secret}@github.com:a/b`,
    `https://github.com/a?token=${secret}`,
    `https://github.com/a#${secret}`,
    `ftp://u:${secret}@h/x`,
    `https://u:${secret}@h\u0007/x`,
  ]
  for (const url of urls) {
    const error = await parseRepositoryUrl(url, PUBLIC).catch(error => error)
    t.equal(error.code, 'BAD_REPOSITORY_URL')
    t.notMatch(JSON.stringify([error.message, error.fix]), secret, url)
  }
  t.match(await parseRepositoryUrl('https://user:pass@github.com/a/b', PUBLIC).catch(error => error.fix), 'GIT_TOKENS')
  t.equal(showUrl('a\u001b[31m\u202eb'), 'a\\u001b[31m\\u202eb')
  t.ok(showUrl('x'.repeat(5_000)).length < 200)
})

test('whatever text comes in, only a FaultlineError comes out, and what passes stays as it is when parsed again', async t => {
  const piece = fc.oneof(
    fc.constantFrom(
      'https://',
      'ssh://',
      'git@',
      'github.com',
      ':',
      '/',
      '//',
      '..',
      '.git',
      '@',
      '%2f',
      '%00',
      '-',
      '\\',
      '\0',
      '\n',
      ' ',
      '[::1]',
      '127.0.0.1',
      ':443',
      '?',
      '#',
      'file://',
      'ext::',
      '~',
      'ü',
      '\ud800',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async pieces => {
      let parsed
      try {
        parsed = await parseRepositoryUrl(pieces.join(''), PUBLIC)
      } catch (error) {
        return error instanceof FaultlineError && !/\p{Cc}/u.test(error.message)
      }
      const again = await parseRepositoryUrl(parsed.url, PUBLIC)
      return (
        again.identity === parsed.identity &&
        again.url === parsed.url &&
        !parsed.url.startsWith('-') &&
        /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(parsed.repository)
      )
    }),
    { numRuns: runs(2_000) },
  )
  t.pass('2,000 texts')
})
