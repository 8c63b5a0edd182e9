import fc from 'fast-check'
import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import { plainIdentity, readPastedUrl } from '../../../src/repos/remote/pasted-url.ts'
import { parseRepositoryUrl } from '../../../src/repos/remote/repository-url.ts'
import { runs } from '../../helpers/property-runs.ts'

const PUBLIC = { allowLocalRepos: [], allowPrivateHosts: false }
const place = (address: string, isFolder = true) => ({ kind: 'place', segments: address.split('/'), isFolder })
const commit = { kind: 'commit', commit: 'a'.repeat(40) }

const PLAIN: Array<[pasted: string, url: string]> = [
  ['github.com/a/b', 'https://github.com/a/b'],
  ['www.github.com/a/b/', 'https://github.com/a/b'],
  ['  https://github.com/a/b\n', 'https://github.com/a/b'],
  ['http://github.com/a/b.git', 'https://github.com/a/b.git'],
  ['git+https://github.com/a/b.git', 'https://github.com/a/b.git'],
  ['https://github.com/a/b?tab=readme-ov-file#install', 'https://github.com/a/b'],
  ['https://github.com/a/b/issues/12?q=is%3Aopen', 'https://github.com/a/b'],
  ['https://github.com/a/b/actions/runs/77/job/88', 'https://github.com/a/b'],
  ['https://github.com/a/b///', 'https://github.com/a/b'],
  ['https://git.example.com/a/b/ /', 'https://git.example.com/a/b'],
  ['https://gitlab.com/group/sub/shop', 'https://gitlab.com/group/sub/shop'],
  ['https://gitlab.example.com/group/sub/shop/-/issues/3', 'https://gitlab.example.com/group/sub/shop.git'],
  ['git.example.com/team/shop.git', 'https://git.example.com/team/shop.git'],
  ['git@github.com:a/b.git', 'git@github.com:a/b.git'],
  ['ssh://git@github.com/a/b/', 'ssh://git@github.com/a/b/'],
  ['git.example.com:8443/a/b', 'git.example.com:8443/a/b'],
  ['/srv/git/shop.git', '/srv/git/shop.git'],
  ['./shop', './shop'],
  ['https://git.example.com/a/b?c=d', 'https://git.example.com/a/b?c=d'],
  ['https://user:secret@github.com/a/b/tree/main', 'https://user:secret@github.com/a/b/tree/main'],
  ['https://git.example.com/tree/main', 'https://git.example.com/tree/main'],
  ['https://git.example.com/a/b/releases/tag/v1', 'https://git.example.com/a/b/releases/tag/v1'],
  ['https://github.com/a/b/tree/%2e%2e/c', 'https://github.com/a/b/tree/%2e%2e/c'],
]

const PAGES: Array<[pasted: string, url: string, page: object]> = [
  ['https://github.com/a/b/tree/main/packages/x', 'https://github.com/a/b', place('main/packages/x')],
  ['github.com/a/b/tree/main/', 'https://github.com/a/b', place('main')],
  ['https://github.com/a/b/blob/main/src/x.py#L10-L20', 'https://github.com/a/b', place('main/src/x.py', false)],
  ['https://github.com/a/b/tree/feature%2Fx', 'https://github.com/a/b/tree/feature%2Fx', {}],
  ['https://github.com/a/b/tree/caf%C3%A9', 'https://github.com/a/b', place('café')],
  [`https://github.com/a/b/commit/${'A'.repeat(40)}`, 'https://github.com/a/b', commit],
  ['https://github.com/a/b/commits/main', 'https://github.com/a/b', place('main', false)],
  ['https://github.com/a/b/pull/42/files?w=1', 'https://github.com/a/b', { kind: 'pull', source: 'refs/pull/42/head' }],
  ['https://github.com/a/b/releases/tag/v1.2', 'https://github.com/a/b', { kind: 'tag', tag: 'v1.2' }],
  ['https://ghe.example.com/a/b/tree/main/x', 'https://ghe.example.com/a/b', place('main/x')],
  ['https://gitlab.com/g/s/shop/-/tree/main/lib?ref_type=heads', 'https://gitlab.com/g/s/shop.git', place('main/lib')],
  ['https://gitlab.com/g/shop/-/tags/v2', 'https://gitlab.com/g/shop.git', { kind: 'tag', tag: 'v2' }],
  [
    'https://gitlab.com/g/shop/-/merge_requests/7/diffs',
    'https://gitlab.com/g/shop.git',
    { kind: 'pull', source: 'refs/merge-requests/7/head' },
  ],
  ['https://bitbucket.org/w/r/src/main/lib/', 'https://bitbucket.org/w/r', place('main/lib')],
  [`https://bitbucket.org/w/r/commits/${'a'.repeat(40)}`, 'https://bitbucket.org/w/r', commit],
  ['https://codeberg.org/o/r/src/branch/main/lib', 'https://codeberg.org/o/r', place('main/lib')],
  ['http://gitea.example.com:3000/o/r/src/tag/v1', 'http://gitea.example.com:3000/o/r', place('v1')],
  ['https://git.example.com/shop.git/tree/main/x', 'https://git.example.com/shop.git', place('main/x')],
]

test('what people paste names the repository itself', t => {
  for (const [pasted, url] of PLAIN) t.match(readPastedUrl(pasted), { url, page: null }, pasted)
  t.end()
})

test('pages of forges say which branch, folder, tag, commit or request they show', t => {
  for (const [pasted, url, page] of PAGES) {
    const read = readPastedUrl(pasted)
    t.match(read, { url }, pasted)
    if (Object.keys(page).length > 0) t.strictSame(read.page, page, pasted)
    t.strictSame(readPastedUrl(read.address), read, `${pasted} is read the same when it was stored`)
    t.notMatch(read.address, /[?#]/, pasted)
  }
  t.end()
})

test('two forms of one repository have one identity', async t => {
  const forms = [
    'github.com/Acme/Shop',
    'https://www.github.com/acme/shop.git',
    'http://github.com/acme/shop/',
    'https://github.com/acme/shop/tree/main/packages/x',
    'git@github.com:acme/shop.git',
    'ssh://git@github.com/acme/shop',
    'ssh://git@github.com:22/acme/shop.git/',
  ]
  const identities = await Promise.all(
    forms.map(async form => plainIdentity((await parseRepositoryUrl(readPastedUrl(form).url, PUBLIC)).identity)),
  )
  t.strictSame([...new Set(identities)], ['https://github.com:443/acme/shop'])
  t.equal(plainIdentity('ssh://git@git.example.com:22/~/Acme/Shop'), 'ssh://git@git.example.com:22/~/Acme/Shop')
  t.equal(plainIdentity('https://git.example.com:443/Acme/Shop'), 'https://git.example.com:443/Acme/Shop')
})

test('whatever is pasted, the address that is stored is read the same again, and nothing else is let through', async t => {
  const word = fc.constantFrom(
    ...['github.com', 'gitlab.com', 'www.', 'a', 'b', '-', 'tree', 'blob', 'src', 'branch', 'commit', '..', '%2e', ''],
    ...['main', '.git', 'pull', '7', '?x', '#y', '@', ':', 'é', 'https:', 'ssh:', '\\', ' ', '%', 'releases', 'tag'],
  )
  const pasted = fc.oneof(
    fc.array(word, { maxLength: 12 }).map(words => words.join('/')),
    fc.array(word, { maxLength: 10 }).map(words => `https://${words.join('/')}`),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(pasted, async text => {
      const read = readPastedUrl(text)
      t.strictSame(readPastedUrl(read.address), read)
      try {
        const { url } = await parseRepositoryUrl(read.url, PUBLIC)
        return !/^https?:.*[?#]/.test(url)
      } catch (error) {
        return error instanceof FaultlineError
      }
    }),
    { numRuns: runs(500) },
  )
})
