import { test, type Test } from 'tap'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packWhenMany } from '../../src/repos/clone/clone-upkeep.ts'
import { rememberGit, versionWarning } from '../../src/repos/git/git-version.ts'
import { createFileReader } from '../../src/repos/objects/read-file.ts'
import { createCloneReader, type CloneReader } from '../../src/repos/objects/clone-reader.ts'
import { createRepos, type Repos, type ReposOptions } from '../../src/repos/repos.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'

const signal = new AbortController().signal
const DAY_S = 86_400

function setup(
  t: Test,
  options: Partial<ReposOptions> = {},
): {
  root: string
  clones: string
  repos: Repos
  reader: CloneReader
  sync: (url: string, ref?: string, projectName?: string) => ReturnType<Repos['sync']>
} {
  const root = t.testdir({ remotes: {} })
  const clones = join(root, 'clones')
  const repos = createRepos({
    clonedReposDir: clones,
    allowLocalRepos: [join(root, 'remotes')],
    allowPrivateHosts: true,
    gitTokens: new Map(),
    sshKeysDir: null,
    ...options,
  })
  t.teardown(async () => await repos.close())
  return {
    root,
    clones,
    repos,
    reader: createCloneReader({ clonedReposDir: clones }),
    sync: async (url, ref, projectName = 'shop') =>
      await repos.sync({ url, ref, projectName }, { signal, onProgress: () => {} }),
  }
}

test('the history fetched is that of a year before the commit, with the tags in it', async t => {
  const { root, repos, reader, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'))
  const start = 1_600_000_000
  const commits = Array.from({ length: 80 }, (_, i) => remote.commit({ a: `${i}` }, { date: start + i * 10 * DAY_S }))
  remote.git('tag', 'recent', commits[60] ?? '')
  remote.git('tag', 'ancient', commits[5] ?? '')
  const { commit, history } = await sync(remote.dir)
  t.equal(history, 'shallow')
  t.equal(await repos.history('shop'), 'shallow')
  t.equal(await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal }), 'full')
  t.equal(await repos.history('shop'), 'full')
  t.equal(await reader.resolveCommit('shop', commits[43] ?? ''), commits[43], 'a year before')
  t.equal(await reader.resolveCommit('shop', 'recent'), commits[60])
  t.equal(await reader.resolveCommit('shop', 'ancient'), null, 'its commit is not here')

  const next = remote.commit({ a: 'next' })
  t.match(await sync(remote.dir), { commit: next, history: 'full' })
  t.equal(await reader.resolveCommit('shop', commits[50] ?? ''), commits[50], 'an update cuts nothing off')
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '79')
})

test('history comes through the branch where a server gives out no commits by their id, also after the tip has moved', async t => {
  const { root, repos, reader, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const first = remote.git('rev-parse', 'main')
  const server = await startGitHttpServer(join(root, 'remotes'), { oldProtocol: true })
  t.teardown(async () => await server.close())
  remote.commit({ a: '1' })
  const { commit } = await sync(`${server.url}/shop.git`)
  t.equal(await reader.resolveCommit('shop', first), null)
  remote.commit({ a: '2' })
  t.equal(await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal }), 'full')
  t.equal(await reader.resolveCommit('shop', first), first)
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '1')
})

test("history of a clone that is not there, or not this project's, is an error", async t => {
  const { root, repos, sync } = setup(t)
  await sync(createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } }).dir)
  await t.rejects(repos.fetchHistory({ repository: 'missing', projectName: 'shop', signal }), { code: 'NOT_FOUND' })
  await t.rejects(repos.fetchHistory({ repository: '../shop', projectName: 'shop', signal }), { code: 'NOT_FOUND' })
  await t.rejects(repos.fetchHistory({ repository: 'shop', projectName: 'other', signal }), { code: 'NOT_FOUND' })
  t.equal(await repos.history('missing'), 'shallow', 'as far as anybody can tell')
  t.equal(await repos.history('../shop'), 'shallow')
})

test('names are resolved without the network, and hostile ones to nothing', async t => {
  const { root, reader, sync } = setup(t)
  const { commit } = await sync(createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } }).dir)
  for (const ref of [commit, commit.toUpperCase(), commit.slice(0, 7), 'main']) {
    t.equal(await reader.resolveCommit('shop', ref), commit, ref)
  }
  for (const ref of [
    '',
    'missing',
    '--help',
    'main^',
    'main:a',
    'a\nmain',
    '@',
    'HEAD~1',
    '0'.repeat(40),
    `${commit}\0`,
    'x'.repeat(300),
  ]) {
    t.equal(await reader.resolveCommit('shop', ref), null, JSON.stringify(ref))
  }
  for (const repository of ['missing', '..', '../clones/shop', '.faultline', 'shop/', '']) {
    t.equal(await reader.resolveCommit(repository, 'main'), null)
  }
})

test('a file reads the same in process and through git', async t => {
  const { root, clones, sync } = setup(t)
  const files = {
    'a.txt': 'one\r\ntwo',
    'deep/er/é.py': 'x = 1\n',
    empty: '',
    binary: Buffer.from([0, 255, 10, 13]),
    link: { symlink: 'a.txt' },
    module: { submodule: '1'.repeat(40) },
    'glob[1]*.txt': 'literal',
  }
  const { commit } = await sync(createGitRepository(join(root, 'remotes', 'shop.git'), { files }).dir)
  const inProcess = createFileReader({ searchPath: '/usr/bin:/bin' })
  const byGit = createFileReader({ searchPath: '/usr/bin:/bin', smallPacksBytes: 0 })
  const gitDir = join(clones, 'shop')
  for (const path of ['a.txt', 'deep/er/é.py', 'empty', 'binary', 'glob[1]*.txt']) {
    const content = await inProcess.readFile(gitDir, commit, path)
    t.same(content, Buffer.from(files[path as 'binary']), path)
    t.same(await byGit.readFile(gitDir, commit, path), content, path)
  }
  for (const path of [
    '',
    '/',
    'missing',
    'deep',
    'deep/er',
    'deep/',
    '/a.txt',
    './a.txt',
    '../a.txt',
    'deep/../a.txt',
    'a.txt/x',
    'link',
    'link/x',
    'module',
    'a.txt\0',
    'a.txt\n',
    ':(top)a.txt',
    '*.txt',
    'glob*',
    '--help',
    `${'a/'.repeat(3_000)}a`,
  ]) {
    t.equal(await inProcess.readFile(gitDir, commit, path), null, JSON.stringify(path.slice(0, 40)))
    t.equal(await byGit.readFile(gitDir, commit, path), null, JSON.stringify(path.slice(0, 40)))
  }
  for (const reader of [inProcess, byGit]) t.equal(await reader.readFile(gitDir, '1'.repeat(40), 'a.txt'), null)
})

test('a small pack that unpacks to much is not read in process', async t => {
  const { root, reader, sync } = setup(t)
  const { commit } = await sync(
    createGitRepository(join(root, 'remotes', 'shop.git'), { files: { bomb: Buffer.alloc(17 * 1_048_576), a: 'fine' } })
      .dir,
  )
  await t.rejects(reader.readFile('shop', commit, 'bomb'), { code: 'PAYLOAD_TOO_LARGE' })
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), 'fine')
})

test('a sweep removes what killed processes left and nothing else', async t => {
  const { root, clones, repos, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  remote.git('branch', 'tmp_pack_1')
  const { gitDir } = await sync(remote.dir, 'tmp_pack_1')
  mkdirSync(join(clones, '.tmp-half', 'objects'), { recursive: true })
  mkdirSync(join(clones, 'not-ours'))
  for (const file of [
    'shallow.lock',
    'refs/remotes/origin/main.lock',
    'packed-refs.lock',
    'objects/pack/tmp_pack_abc',
  ]) {
    writeFileSync(join(gitDir, file), '')
  }
  writeFileSync(join(clones, 'not-ours', 'yarn.lock'), '')
  const tip = remote.commit({ a: '1' })
  await repos.sweep()
  t.same(readdirSync(clones).sort(), ['.faultline', 'not-ours', 'shop'])
  t.ok(existsSync(join(clones, 'not-ours', 'yarn.lock')))
  t.ok(existsSync(join(gitDir, 'refs/remotes/origin/tmp_pack_1')), 'a branch may be called so')
  t.same(
    readdirSync(gitDir, { recursive: true }).filter(
      name => String(name).endsWith('.lock') || String(name).includes('tmp_pack_abc'),
    ),
    [],
  )
  t.equal((await sync(remote.dir)).commit, tip)
})

test('many packs become one, and what no ref reaches stays', async t => {
  const { root, reader, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const { commit, gitDir } = await sync(remote.dir)
  for (let i = 1; i <= 3; i++) {
    remote.commit({ a: `${i}` }, { orphan: true })
    await sync(remote.dir)
  }
  const packs = () => readdirSync(join(gitDir, 'objects', 'pack')).filter(name => name.endsWith('.pack')).length
  t.equal(packs(), 4)
  await packWhenMany(gitDir, { searchPath: '/usr/bin:/bin', signal, maxPacks: 10 })
  t.equal(packs(), 4)
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '0')
  await packWhenMany(gitDir, { searchPath: '/usr/bin:/bin', signal, maxPacks: 3 })
  t.equal(packs(), 1)
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '0')
})

test('ssh is called without configuration, without asking, and at the checked address', async t => {
  const root = t.testdirName
  const { clones, sync } = setup(t, {
    gitSearchPath: `${join(root, 'bin')}:/usr/bin:/bin`,
    sshKeysDir: join(root, 'keys'),
    sshAuthSock: '/run/agent',
    resolveHost: async () => ['127.0.0.1', '::1'],
  })
  const log = join(root, 'argv')
  mkdirSync(join(root, 'bin'))
  mkdirSync(join(root, 'keys'))
  writeFileSync(join(root, 'keys', 'id_ed25519'), '')
  // Stands for ssh: notes how it was called and runs what the server would.
  writeFileSync(
    join(root, 'bin', 'ssh'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${log}'\nenv > '${log}.env'\nfor last; do :; done\nexec sh -c "$last"\n`,
    { mode: 0o755 },
  )
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const synced = await sync(`git@git.example:${remote.dir}`)
  t.equal(synced.url, `git@git.example:${remote.dir}`)
  const argv = readFileSync(log, 'utf8').split('\n')
  t.same(argv.slice(0, 2), ['-F', '/dev/null'])
  for (const option of [
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    'ProxyCommand=none',
    'PermitLocalCommand=no',
    'HostName=127.0.0.1',
    'HostKeyAlias=git.example',
    `IdentityFile="${join(root, 'keys', 'id_ed25519')}"`,
    `UserKnownHostsFile="${join(clones, '.faultline', 'known_hosts')}"`,
  ]) {
    t.ok(argv.includes(option), option)
  }
  t.ok(argv.includes('git@git.example'))
  const env = readFileSync(`${log}.env`, 'utf8')
  t.match(env, 'SSH_AUTH_SOCK=/run/agent')
  const inherited = env
    .split('\n')
    .map(line => line.split('=')[0] ?? '')
    .filter(
      name => process.env[name] !== undefined && !/TAP|^(?:PATH|HOME|LANG|PWD|_|SHLVL|OLDPWD|NODE_OPTIONS)$/.test(name),
    )
  t.same(inherited, [], "nothing of the server's environment") // tap adds variables of its own to every child
})

test('an old git is warned about, a fixed one is not', async t => {
  for (const version of ['2.39.5', '2.43.6', '2.44.3', '2.50.0', '1.9.1']) t.match(versionWarning(version), version)
  for (const version of ['2.43.7', '2.44.4', '2.50.1', '2.51.0', '2.60', '3.0.0']) {
    t.equal(versionWarning(version), null, version)
  }
  t.match(await setup(t).repos.gitVersion(), { version: /^\d+\.\d+/ })
})

test('the installed git is looked up once a minute', async t => {
  const root = t.testdir({ bin: {}, calls: '' })
  writeFileSync(join(root, 'bin', 'git'), `#!/bin/sh\necho x >> '${join(root, 'calls')}'\necho git version 2.50.1\n`, {
    mode: 0o755,
  })
  let now = 0
  const gitVersion = rememberGit(`${join(root, 'bin')}:/usr/bin:/bin`, () => now)
  const calls = () => readFileSync(join(root, 'calls'), 'utf8').length / 2
  for (const at of [0, 59_999]) {
    now = at
    t.match(await gitVersion(), { version: '2.50.1', warning: null })
  }
  t.equal(calls(), 1)
  now = 60_000
  await gitVersion()
  t.equal(calls(), 2)
})
