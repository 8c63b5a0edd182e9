import { test, type Test } from 'tap'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCloneReader, type CloneReader } from '../../../src/repos/objects/clone-reader.ts'
import { createRepos, type Repos } from '../../../src/repos/repos.ts'
import type { CloneLimits } from '../../../src/repos/limits.ts'
import { listTree } from '../../../src/repos/objects/objects.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'

interface Setup {
  repos: Repos
  reader: CloneReader
  remotes: string
  clones: string
  sync: (
    url: string,
    more?: { branch?: string; ref?: string; projectName?: string; signal?: AbortSignal },
  ) => ReturnType<Repos['sync']>
}

function setup(t: Test, options: { limits?: Partial<CloneLimits>; gitSearchPath?: string } = {}): Setup {
  const root = t.testdir({ remotes: {} })
  const remotes = join(root, 'remotes')
  const clones = join(root, 'clones')
  const repos = createRepos({
    clonedReposDir: clones,
    allowLocalRepos: [remotes],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    sshKeysDir: null,
    ...options,
  })
  t.teardown(async () => await repos.close())
  return {
    repos,
    reader: createCloneReader({ clonedReposDir: clones }),
    remotes,
    clones,
    sync: async (url, { projectName = 'shop', signal = new AbortController().signal, ...more } = {}) =>
      await repos.sync({ url, projectName, ...more }, { signal, onProgress: () => {} }),
  }
}

const git = (gitDir: string, ...args: string[]) =>
  execFileSync('git', [`--git-dir=${gitDir}`, ...args])
    .toString()
    .trim()
const clonesIn = (folder: string) =>
  readdirSync(folder)
    .filter(name => name !== '.faultline')
    .sort()

test('a first clone holds the tip of the default branch, one commit deep, and nothing else', async t => {
  const { remotes, clones, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { branch: 'trunk', files: { a: '1' } })
  const tip = remote.commit({ a: '2' })
  const synced = await sync(remote.dir)
  t.match(synced, {
    repository: 'shop',
    gitDir: join(clones, 'shop'),
    url: `file://${remote.dir}`,
    branch: 'trunk',
    commit: tip,
    history: 'shallow',
  })
  t.equal(git(synced.gitDir, 'rev-list', '--all', '--count'), '1')
  t.equal(git(synced.gitDir, 'for-each-ref', '--format=%(refname)'), 'refs/faultline/shop\nrefs/remotes/origin/trunk')
  t.same(clonesIn(clones), ['shop'])
  t.notOk(existsSync(join(synced.gitDir, 'hooks')))
  t.notMatch(readFileSync(join(synced.gitDir, 'config'), 'utf8'), /url|remote/)
})

test('the same repository again is the same clone, brought up to date', async t => {
  const { remotes, clones, sync, reader } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const first = await sync(remote.dir)
  const tip = remote.commit({ a: '2' })
  const second = await sync(`file://${remote.dir}`)
  t.match(second, { repository: first.repository, commit: tip })
  t.same(clonesIn(clones), ['shop'])
  t.equal((await reader.readFile('shop', tip, 'a'))?.toString(), '2')
  t.equal(
    (await reader.readFile('shop', first.commit, 'a'))?.toString(),
    '1',
    'the commit indexed before can still be read',
  )
})

test('a force-push and a branch that gives way to a folder of branches are followed', async t => {
  const { remotes, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  remote.commit({ a: '2' }, { branch: 'topic' })
  await sync(remote.dir, { branch: 'topic' })
  const rewritten = remote.commit({ b: 'other' }, { orphan: true })
  t.equal((await sync(remote.dir)).commit, rewritten)
  remote.git('update-ref', '-d', 'refs/heads/topic')
  const below = remote.commit({ a: '3' }, { branch: 'topic/one' })
  t.match(await sync(remote.dir, { branch: 'topic/one' }), { branch: 'topic/one', commit: below })
  remote.git('update-ref', '-d', 'refs/heads/topic/one')
  const above = remote.commit({ a: '4' }, { branch: 'topic' })
  t.equal((await sync(remote.dir, { branch: 'topic' })).commit, above)
})

test('any commit, tag or branch of the remote can be asked for', async t => {
  const { remotes, sync, reader } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const old = remote.commit({ a: '2' })
  remote.git('-c', 'user.name=Ada', '-c', 'user.email=a@example.com', 'tag', '-a', '-m', 'release', 'v1.0', old)
  const middle = remote.commit({ a: '3' })
  remote.commit({ a: '4' })
  const side = remote.commit({ a: '5' }, { branch: 'feature/side' })
  remote.git('tag', 'light', middle)

  t.match(await sync(remote.dir, { ref: old }), { commit: old, branch: null })
  t.match(await sync(remote.dir, { ref: 'v1.0' }), { commit: old, branch: null }, 'an annotated tag is followed')
  t.match(await sync(remote.dir, { ref: 'light' }), { commit: middle })
  t.match(await sync(remote.dir, { ref: 'feature/side' }), { commit: side, branch: 'feature/side' })
  t.match(await sync(remote.dir, { ref: side.slice(0, 8) }), { commit: side })
  t.match(await sync(remote.dir, { ref: middle.toUpperCase(), branch: 'main' }), { commit: middle, branch: 'main' })
  t.equal(await reader.resolveCommit('shop', 'v1.0'), old)
  t.equal(await reader.resolveCommit('shop', 'feature/side'), side)
})

test('what is asked for by name is found where the default branch does not exist', async t => {
  const { remotes, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { branch: 'dev', files: { a: '1' } })
  const [first, tip] = [remote.git('rev-parse', 'dev'), remote.commit({ a: '2' })]
  remote.git('branch', 'prod')
  remote.git('tag', 'v2', first)
  remote.git('symbolic-ref', 'HEAD', 'refs/heads/gone')
  t.match(await sync(remote.dir, { ref: 'v2' }), { commit: first, branch: null })
  t.match(await sync(remote.dir, { ref: 'dev' }), { commit: tip, branch: 'dev' })
  t.match(await sync(remote.dir, { ref: first }), { commit: first, branch: null })
  t.match(await sync(remote.dir, { branch: 'prod' }), { commit: tip, branch: 'prod' })
  for (const request of [{}, { ref: 'HEAD' }, { ref: 'v2', branch: 'gone' }]) {
    await t.rejects(sync(remote.dir, request), { code: 'BRANCH_NOT_FOUND', fix: /dev, prod|prod, dev/ })
  }
  await t.rejects(sync(remote.dir, { ref: 'v3' }), { code: 'REF_NOT_FOUND' })
  for (const branch of ['dev', 'prod']) remote.git('update-ref', '-d', `refs/heads/${branch}`)
  t.match(await sync(remote.dir, { ref: 'v2' }), { commit: first }, 'a repository with nothing but tags')
})

test('a repository with SHA-256 names is refused as such', async t => {
  const { remotes, sync } = setup(t)
  const folder = join(remotes, 'shop')
  execFileSync('git', ['init', '--quiet', '--object-format=sha256', folder])
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'x'], {
    cwd: folder,
  })
  await t.rejects(sync(folder), { code: 'CLONE_FAILED', message: /SHA-256/ })
})

test('a shortened commit id is looked for in the history', async t => {
  const { remotes, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '0' } })
  const old = remote.commit({ a: '1' })
  for (let i = 0; i < 5; i++) remote.commit({ a: `${i + 2}` })
  t.equal((await sync(remote.dir, { ref: old.slice(0, 10) })).commit, old)
  await t.rejects(sync(remote.dir, { ref: 'abcdef0' }), { code: 'REF_NOT_FOUND' })
})

test('what the remote does not have is refused by its own name', async t => {
  const { remotes, clones, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  for (let i = 0; i < 15; i++) remote.git('branch', `release-${i}`)
  remote.git('tag', 'tree', `${remote.git('rev-parse', 'main')}^{tree}`)
  createGitRepository(join(remotes, 'empty.git'))
  mkdirSync(join(remotes, 'folder'))

  const noBranch = await sync(remote.dir, { branch: 'mian' }).catch(error => error)
  t.match(noBranch, { code: 'BRANCH_NOT_FOUND', message: /"mian"/, fix: /main/ })
  t.equal(noBranch.fix.match(/release-/g).length, 9, 'ten names at most')
  await t.rejects(sync(remote.dir, { ref: 'f'.repeat(40) }), { code: 'REF_NOT_FOUND' })
  await t.rejects(sync(remote.dir, { ref: 'v9' }), { code: 'REF_NOT_FOUND', message: /"v9"/ })
  await t.rejects(sync(remote.dir, { ref: 'tree' }), { code: 'REF_NOT_FOUND' })
  await t.rejects(sync(join(remotes, 'empty.git')), { code: 'EMPTY_REPOSITORY' })
  await t.rejects(sync(join(remotes, 'folder')), { code: 'REPOSITORY_NOT_FOUND' })
  t.same(clonesIn(clones), [], 'nothing is left of them')
})

test('a bad branch, ref or project name is refused before anything runs', async t => {
  const { clones, sync, remotes } = setup(t)
  for (const name of ['--upload-pack=x', '-b', 'a..b', 'a\nb', 'refs/heads/x']) {
    await t.rejects(sync(remotes, { branch: name }), { code: 'BAD_REF' })
    await t.rejects(sync(remotes, { ref: name }), { code: 'BAD_REF' })
  }
  await t.rejects(sync(remotes, { projectName: '../x' }), { code: 'BAD_REQUEST' })
  await t.rejects(sync('ext::sh -c id'), { code: 'BAD_REPOSITORY_URL' })
  t.notOk(existsSync(clones))
})

test('two remotes with one name get a clone each, at once and one after the other', async t => {
  const { remotes, clones, sync } = setup(t)
  const one = createGitRepository(join(remotes, 'a', 'shop.git'), { files: { a: 'one' } })
  const two = createGitRepository(join(remotes, 'b', 'Shop.git'), { files: { a: 'two' } })
  const three = createGitRepository(join(remotes, 'c', 'shop'), { files: { a: 'three' } })
  const [first, second] = await Promise.all([sync(one.dir), sync(two.dir, { projectName: 'other' })])
  t.not(first.repository.toLowerCase(), second.repository.toLowerCase())
  const third = await sync(three.dir, { projectName: 'third' })
  t.match(third.repository, /^shop-[0-9a-f]{8}$/)
  t.equal((await sync(one.dir)).repository, first.repository)
  t.equal((await sync(three.dir)).repository, third.repository)
  t.equal(clonesIn(clones).length, 3)
})

test('a folder that is no clone of ours is left alone', async t => {
  const { remotes, clones, sync } = setup(t)
  mkdirSync(join(clones, 'shop'), { recursive: true })
  writeFileSync(join(clones, 'shop', 'precious'), 'x')
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  t.match((await sync(remote.dir)).repository, /^shop-[0-9a-f]{8}$/)
  t.equal(readFileSync(join(clones, 'shop', 'precious'), 'utf8'), 'x')
})

test('projects share a clone, side by side, and it goes with the last of them', async t => {
  const { remotes, clones, sync, repos, reader } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const other = remote.commit({ a: '2' }, { branch: 'other' })
  const odd = 'a..b' // a project may be called so, a ref may not
  const results = await Promise.all([
    sync(remote.dir),
    sync(remote.dir, { projectName: odd, branch: 'other' }),
    sync(remote.dir, { projectName: 'third' }),
  ])
  t.same(new Set(results.map(({ repository }) => repository)), new Set(['shop']))
  t.equal(git(join(clones, 'shop'), 'for-each-ref', 'refs/faultline').split('\n').length, 3)
  await repos.release('SHOP')
  await repos.release('third')
  t.equal((await reader.readFile('shop', other, 'a'))?.toString(), '2')
  t.equal(git(join(clones, 'shop'), 'for-each-ref', 'refs/faultline').split('\n').length, 1)
  t.ok(await repos.holds('shop', odd))
  t.notOk(await repos.holds('shop', 'third'))
  await repos.release(odd)
  t.same(clonesIn(clones), [])
  t.equal(await reader.readFile('shop', other, 'a'), null)
})

test('a project that does not exist any more is released from every clone, whatever the case of its name', async t => {
  const { remotes, clones, sync, repos } = setup(t)
  await repos.releaseMissing([])
  for (const name of ['one', 'two', 'three']) createGitRepository(join(remotes, `${name}.git`), { files: { a: '1' } })
  await sync(join(remotes, 'one.git'))
  await sync(join(remotes, 'two.git'))
  await sync(join(remotes, 'two.git'), { projectName: 'Other' })
  await sync(join(remotes, 'three.git'), { projectName: 'Other' })
  mkdirSync(join(clones, 'not-ours'))
  await repos.releaseMissing(['SHOP', 'other'])
  t.same(clonesIn(clones), ['not-ours', 'one', 'three', 'two'])
  await repos.releaseMissing(['other'])
  t.same(clonesIn(clones), ['not-ours', 'three', 'two'])
  t.equal(git(join(clones, 'two'), 'for-each-ref', '--format=%(refname)', 'refs/faultline'), 'refs/faultline/Other')
  t.ok(await repos.holds('two', 'OTHER'))
  for (const [repository, project] of [
    ['two', 'shop'],
    ['one', 'shop'],
    ['../x', 'shop'],
    ['not-ours', 'shop'],
  ] as const) {
    t.notOk(await repos.holds(repository, project))
  }
})

test('a repository larger than the limits, on disk or in files, is refused and leaves nothing', async t => {
  const big = setup(t, { limits: { maxBytes: 200_000 } })
  const remote = createGitRepository(join(big.remotes, 'big.git'), { files: { a: randomBytes(300_000) } })
  await t.rejects(big.sync(remote.dir), { code: 'REPOSITORY_TOO_LARGE' })
  t.same(clonesIn(big.clones), [])
})

test('a commit with more files than the limit is refused and leaves nothing', async t => {
  const { remotes, clones, sync } = setup(t, { limits: { maxEntries: 100 } })
  const files = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 'x']))
  const remote = createGitRepository(join(remotes, 'many.git'), { files: files(101) })
  await t.rejects(sync(remote.dir), { code: 'REPOSITORY_TOO_LARGE' })
  t.same(clonesIn(clones), [])
  t.ok(await sync(createGitRepository(join(remotes, 'few.git'), { files: files(100) }).dir))
})

test('no change costs one call of git, one more commit four', async t => {
  const root = t.testdir({ bin: {}, remotes: {} })
  const bin = join(root, 'bin')
  const log = join(bin, 'calls')
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\nexec /usr/bin/git "$@"\n`, {
    mode: 0o755,
  })
  const repos = createRepos({
    clonedReposDir: join(root, 'clones'),
    allowLocalRepos: [join(root, 'remotes')],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    gitSearchPath: `${bin}:/usr/bin:/bin`,
  })
  t.teardown(async () => await repos.close())
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '1' } })
  const calls = async () => {
    rmSync(log, { force: true })
    await repos.sync(
      { url: remote.dir, projectName: 'shop' },
      { signal: new AbortController().signal, onProgress: () => {} },
    )
    return readFileSync(log, 'utf8')
      .split('\n')
      .map(
        line =>
          /(?<= |^)(?:ls-remote|fetch|cat-file|update-ref|for-each-ref|config|ls-tree|init)(?= |$)/.exec(line)?.[0],
      )
      .filter(command => command !== undefined)
  }
  t.same(await calls(), ['init', 'ls-remote', 'for-each-ref', 'fetch', 'cat-file', 'update-ref'])
  t.same(await calls(), ['ls-remote'])
  remote.commit({ a: '2' })
  t.same(await calls(), ['ls-remote', 'fetch', 'cat-file', 'update-ref'])
})

test('without enough free space nothing is fetched', async t => {
  const { remotes, sync } = setup(t, { limits: { minFreeBytes: Number.MAX_SAFE_INTEGER } })
  await t.rejects(sync(createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } }).dir), {
    code: 'DISK_FULL',
  })
})

test('without a git program the error says how to get one', async t => {
  const { remotes, sync, repos } = setup(t, { gitSearchPath: '/nonexistent' })
  await t.rejects(sync(createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } }).dir), {
    code: 'GIT_NOT_FOUND',
    fix: /apt-get install git/,
  })
  t.equal(await repos.gitVersion(), null)
})

test('a damaged repository is named as such', async t => {
  const { remotes, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'))
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: remote.dir, input: 'x' }).toString().trim()
  const entry = (mode: string, name: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')])
  const tree = execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
    cwd: remote.dir,
    input: entry('100644', '.git'),
  })
    .toString()
    .trim()
  const commit = execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', tree, '-m', 'x'], {
    cwd: remote.dir,
  })
    .toString()
    .trim()
  remote.git('update-ref', 'refs/heads/main', commit)
  await t.rejects(sync(remote.dir), { code: 'REPOSITORY_CORRUPT' })
})

test('a repository that lacks objects is damaged, not out of reach', async t => {
  const { remotes, sync } = setup(t)
  for (const [name, what] of [
    ['blob', 'HEAD:a'],
    ['tree', 'HEAD^{tree}'],
  ] as const) {
    const remote = createGitRepository(join(remotes, name), { files: { a: '1' }, worktree: true })
    const oid = remote.git('rev-parse', what)
    rmSync(join(remote.dir, '.git', 'objects', oid.slice(0, 2), oid.slice(2)))
    await t.rejects(sync(remote.dir), { code: 'REPOSITORY_CORRUPT', fix: /git fsck/ }, name)
  }
})

test('a clone that lost objects is fetched anew with the next sync', async t => {
  const { remotes, clones, sync, reader } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  await sync(remote.dir, { projectName: 'other' })
  const { gitDir } = await sync(remote.dir)
  const packs = join(gitDir, 'objects', 'pack')
  const read = async (commit: string) => (await reader.readFile('shop', commit, 'a'))?.toString()

  for (const name of readdirSync(packs)) rmSync(join(packs, name))
  const { commit: first } = await sync(remote.dir)
  t.equal(await read(first), '1', 'all packs were lost')

  const before = new Set(readdirSync(packs))
  const second = remote.commit({ a: '2' })
  await sync(remote.dir)
  t.equal(await read(second), '2')
  for (const name of readdirSync(packs)) if (!before.has(name)) rmSync(join(packs, name))
  await t.rejects(listTree(gitDir, second).next(), { code: 'REPOSITORY_CORRUPT', fix: 'Clone it again.' })
  await sync(remote.dir)
  t.equal(await read(second), '2', 'one pack was lost, which a reader noticed')
  t.equal(git(gitDir, 'fsck'), '')

  await sync(remote.dir, { projectName: 'other', ref: first })
  t.equal(await read(first), '1', 'the other project can go back to its commit')
  t.equal(
    git(gitDir, 'for-each-ref', '--format=%(refname)', 'refs/faultline'),
    'refs/faultline/other\nrefs/faultline/shop',
  )
  t.same(clonesIn(clones), ['shop'])
})

test('a clone whose HEAD is detached, a work tree and a shallow source can be cloned', async t => {
  const { remotes, sync } = setup(t)
  const source = createGitRepository(join(remotes, 'source'), { worktree: true, files: { a: '1' } })
  const tip = source.commit({ a: '2' })
  t.match(await sync(source.dir), { commit: tip, branch: 'main', repository: 'source' })
  source.git('checkout', '--quiet', '--detach', 'HEAD~1')
  const detached = source.git('rev-parse', 'HEAD')
  t.match(await sync(source.dir), { commit: detached, branch: null })
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${source.dir}`, join(remotes, 'shallow')], {
    stdio: 'ignore',
  })
  t.match(await sync(join(remotes, 'shallow')), { commit: detached })
})

test(
  'a local repository of another account can be cloned, because it was named and allowed',
  { skip: process.getuid?.() === 0 ? false : 'only root can give files away' },
  async t => {
    const { remotes, sync } = setup(t)
    const bare = createGitRepository(join(remotes, 'bare.git'), { files: { a: '1' } })
    const tree = createGitRepository(join(remotes, 'tree "quoted" \'it\''), { files: { a: '1' }, worktree: true })
    execFileSync('chown', ['-R', '12345:12345', bare.dir, tree.dir])
    t.ok(await sync(bare.dir))
    t.ok(await sync(tree.dir))
  },
)

test('hooks, attributes and submodules of a repository do nothing', async t => {
  const { remotes, sync } = setup(t)
  const mark = join(remotes, 'ran')
  const remote = createGitRepository(join(remotes, 'shop.git'), {
    files: {
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ../other.git\n',
      x: { submodule: '1'.repeat(40) },
      a: '1',
    },
  })
  mkdirSync(join(remote.dir, 'hooks'))
  for (const hook of ['post-checkout', 'reference-transaction', 'post-merge']) {
    writeFileSync(join(remote.dir, 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  }
  const { gitDir } = await sync(remote.dir)
  t.notOk(existsSync(mark))
  t.notOk(existsSync(join(gitDir, 'modules')))
})

test('a sync under way ends when the repositories are closed, and later ones are refused', async t => {
  const { remotes, sync, repos, clones } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const running = sync(remote.dir)
  await Promise.all([
    t.rejects(running, { code: 'SHUTTING_DOWN' }),
    new Promise(setImmediate).then(async () => await repos.close()),
  ])
  await t.rejects(sync(remote.dir), { code: 'SHUTTING_DOWN' })
  t.same(existsSync(clones) ? clonesIn(clones) : [], [])
})
