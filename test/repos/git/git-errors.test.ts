import { test } from 'tap'
import { fetchError, scrub } from '../../../src/repos/git/git-errors.ts'
import type { RepositoryUrl } from '../../../src/repos/remote/repository-url.ts'

const REMOTE: RepositoryUrl = {
  kind: 'https',
  url: 'https://git.example/a/b',
  identity: '',
  host: 'git.example',
  port: 443,
  path: null,
  repository: 'b',
}
const code = (stderr: string, remote = REMOTE) => fetchError(stderr, remote, undefined).code

test('what git prints is told apart', async t => {
  t.equal(
    code("fatal: unable to access 'https://git.example/a/b/': The requested URL returned error: 302"),
    'REPOSITORY_REDIRECTED',
  )
  t.equal(
    code("fatal: could not read Username for 'https://git.example': terminal prompts disabled"),
    'REPOSITORY_AUTH_FAILED',
  )
  t.equal(code("fatal: Authentication failed for 'https://git.example/a/b/'"), 'REPOSITORY_AUTH_FAILED')
  t.equal(
    code("fatal: unable to access 'https://git.example/a/b/': The requested URL returned error: 403"),
    'REPOSITORY_AUTH_FAILED',
  )
  t.equal(code("fatal: repository 'https://git.example/a/b/' not found"), 'REPOSITORY_NOT_FOUND')
  t.equal(
    code("fatal: unable to access 'https://git.example/a/b/': Could not resolve host: git.example"),
    'REPOSITORY_UNREACHABLE',
  )
  t.equal(
    code(
      "fatal: unable to access 'https://git.example/a/b/': Failed to connect to git.example port 443: " +
        'Connection refused',
    ),
    'REPOSITORY_UNREACHABLE',
  )
  t.equal(
    code("fatal: unable to access 'https://git.example/a/b/': SSL certificate problem: self signed certificate"),
    'REPOSITORY_UNREACHABLE',
  )
  t.equal(
    code("fatal: unable to access 'https://git.example/a/b/': The requested URL returned error: 502"),
    'REPOSITORY_UNREACHABLE',
  )
  t.equal(
    code('fatal: https://git.example/a/b/info/refs not valid: is this a git repository?'),
    'REPOSITORY_UNREACHABLE',
  )
  t.equal(
    code(
      'error: RPC failed; curl 28 Operation too slow. Less than 1000 bytes/sec\nfatal: early EOF\n' +
        'fatal: fetch-pack: invalid index-pack output',
    ),
    'REPOSITORY_UNREACHABLE',
  )
  t.equal(
    code('git@git.example: Permission denied (publickey).\nfatal: Could not read from remote repository.', {
      ...REMOTE,
      kind: 'ssh',
    }),
    'REPOSITORY_AUTH_FAILED',
  )
  t.equal(
    code('Host key verification failed.\nfatal: Could not read from remote repository.'),
    'REPOSITORY_UNREACHABLE',
  )
  t.equal(code('ERROR: Repository not found.\nfatal: Could not read from remote repository.'), 'REPOSITORY_NOT_FOUND')
  t.equal(code('fatal: Could not read from remote repository.'), 'REPOSITORY_UNREACHABLE')
  t.equal(
    code(
      'error: object 1234: treeNotSorted: not properly sorted\nfatal: fsck error in packed object\n' +
        'fatal: fetch-pack: invalid index-pack output',
    ),
    'REPOSITORY_CORRUPT',
  )
  t.equal(
    code('fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output'),
    'DISK_FULL',
  )
  t.equal(code('fatal: something new'), 'CLONE_FAILED')
  t.match(fetchError('terminal prompts disabled', REMOTE, undefined).fix, 'GIT_TOKENS=git.example=token')
})

test('what is shown of git holds no credential, no path of this machine and no terminal escape', async t => {
  const secrets = ['t0ken', 'eC1hY2Nlc3M6dDBrZW4=']
  const text = scrub(
    "fatal: 'https://me:pw@git.example/a' t0ken eC1hY2Nlc3M6dDBrZW4= Authorization: Basic abc= \u001b[31m in " +
      "/srv/data/x and '/home/me/clone.git': (/etc/passwd)",
    secrets,
  )
  for (const gone of ['pw', 't0ken', 'eC1h', 'abc=', '\u001b', '/srv', '/home', '/etc']) t.notMatch(text, gone, gone)
  t.match(text, 'https://***@git.example/a')
  t.ok(fetchError(`fatal: ${'x'.repeat(100_000)}`, REMOTE, undefined).message.length < 500)
  t.equal(scrub('a://'.repeat(2_000_000)).length, 16_384, 'of megabytes only the beginning is looked at')
})
