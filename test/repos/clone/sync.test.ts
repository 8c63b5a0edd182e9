import { test } from 'tap'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { clonesIn, git, setup } from './sync-to.ts'
import { openRepos } from '../test-repos.ts'

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

test('a commit with more files than the limit is refused and leaves nothing', async t => {
  const { remotes, clones, sync } = setup(t, { limits: { maxEntries: 100 } })
  const files = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 'x']))
  const remote = createGitRepository(join(remotes, 'many.git'), { files: files(101) })
  await t.rejects(sync(remote.dir), { code: 'REPOSITORY_TOO_LARGE' })
  t.same(clonesIn(clones), [])
  t.ok(await sync(createGitRepository(join(remotes, 'few.git'), { files: files(100) }).dir))
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

test('a clone has the name that other machines know it by, and never holds another repository', async t => {
  const { remotes, clones, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const { repository } = await sync(remote.dir, { cloneName: 'shop-12345678' })
  t.equal(repository, 'shop-12345678')
  const tip = remote.commit({ a: '2' })
  t.match(await sync(remote.dir, { cloneName: 'shop-12345678' }), { repository, commit: tip })
  t.same(clonesIn(clones), ['shop-12345678'])
  const other = createGitRepository(join(remotes, 'other.git'), { files: { b: '1' } })
  await t.rejects(sync(other.dir, { cloneName: 'shop-12345678' }), { code: 'CLONE_FAILED', message: /shop-12345678/ })
  await t.rejects(sync(other.dir, { cloneName: '../other' }), { code: 'BAD_REQUEST' })
  t.same(clonesIn(clones), ['shop-12345678'])
})

test('a folder of somebody else where a clone must lie is named, and stays', async t => {
  const { remotes, clones, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  mkdirSync(join(clones, 'shop'), { recursive: true })
  writeFileSync(join(clones, 'shop', 'precious'), 'x')
  await t.rejects(sync(remote.dir, { cloneName: 'shop' }), { code: 'CLONE_FAILED', message: /"shop"/, fix: /Move/ })
  t.equal(readFileSync(join(clones, 'shop', 'precious'), 'utf8'), 'x')
  t.same(clonesIn(clones), ['shop'])
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

test('no change costs one call of git, one more commit four', async t => {
  const root = t.testdir({ bin: {}, remotes: {} })
  const bin = join(root, 'bin')
  const log = join(bin, 'calls')
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\nexec /usr/bin/git "$@"\n`, {
    mode: 0o755,
  })
  const repos = openRepos(t, {
    clonedReposDir: join(root, 'clones'),
    allowLocalRepos: [join(root, 'remotes')],
    gitSearchPath: `${bin}:/usr/bin:/bin`,
  })
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
