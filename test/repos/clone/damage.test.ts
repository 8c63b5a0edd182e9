import { test } from 'tap'
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listTree } from '../../../src/repos/objects/objects.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { clonesIn, git, setup } from './sync-to.ts'

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
  await t.rejects(listTree(gitDir, second).next(), { code: 'REPOSITORY_CORRUPT', fix: /^POST \/clone/ })
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
