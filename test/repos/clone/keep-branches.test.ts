import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { DAMAGES, filesIn } from '../../helpers/damage.ts'
import { someOf } from '../../helpers/property-runs.ts'
import { keepBranches } from '../../../src/repos/clone/keep-branches.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { fileAt, git, setup, signal } from '../objects/commit-to.ts'

const refsOf = (gitDir: string) => git(gitDir, 'for-each-ref', '--format=%(refname)', 'refs/heads').trim().split('\n')

const FILES_OF_GIT = ['faultline.json', 'refs/faultline/shop', 'refs/remotes/origin/main', 'HEAD', 'config', 'shallow']

test('a damaged ref, HEAD, configuration or state has the clone made again, with the branches of jobs', async t => {
  const cases = FILES_OF_GIT.flatMap(name => Object.entries(DAMAGES).map(([how, damage]) => ({ name, how, damage })))
  for (const { name, how, damage } of someOf(cases)) {
    const { remote, repos, sync, commitTo, gitDir } = await setup(t, { files: { a: '1' } })
    remote.commit({ a: '2' })
    await sync()
    const made = await commitTo({ a: 'mine' })
    damage(join(gitDir, name))
    const what = `${name}: ${how}`
    const commit = remote.commit({ a: '3' })
    const { lostBranches = [], ...synced } = await sync()
    t.match(synced, { repository: 'shop', commit }, what)
    if (lostBranches.length > 0) t.equal(name, 'shallow', 'without it git cannot read a branch')
    else t.equal(fileAt(gitDir, made.commit, 'a'), 'mine', what)
    await repos.release('shop')
  }
})

test('what has no name of a branch is none that was lost', async t => {
  const { commitTo, gitDir } = await setup(t, { files: { a: '1' } })
  const { dir } = createGitRepository(join(gitDir, '..', '..', 'next'))
  const keep = () => keepBranches(gitDir, dir, { searchPath: process.env.PATH ?? '', signal })
  t.same(await keep(), { kept: [], lost: [] }, 'no job has committed')
  await commitTo({ a: 'mine' })
  writeFileSync(join(gitDir, 'refs/heads/faultline/job.lock'), '')
  t.same(await keep(), { kept: ['faultline/job'], lost: [] })
  t.equal(fileAt(dir, 'faultline/job', 'a'), 'mine')
})

test('a branch that cannot be read is not kept, the others are', async t => {
  const { remote, sync, commitTo, gitDir } = await setup(t, { files: { a: '1' } })
  await commitTo({ a: 'mine' })
  const lost = await commitTo({ a: 'lost' }, { branch: 'faultline/lost' })
  const tree = git(gitDir, 'rev-parse', `${lost.commit}^{tree}`).trim()
  const objects = filesIn(join(gitDir, 'objects'))
  const packs = objects.filter(name => name.endsWith('.idx')).map(name => join(gitDir, 'objects', name))
  const pack = packs.find(path => git(gitDir, 'verify-pack', '-v', path).includes(tree))
  t.ok(pack !== undefined || objects.includes(join(tree.slice(0, 2), tree.slice(2))))
  if (pack === undefined) rmSync(join(gitDir, 'objects', tree.slice(0, 2), tree.slice(2)))
  else for (const ending of ['.idx', '.pack']) rmSync(pack.replace(/\.idx$/, ending))
  rmSync(join(gitDir, 'HEAD'))
  const commit = remote.commit({ a: '2' })
  t.match(await sync(), { commit, lostBranches: ['faultline/lost'] })
  t.same(refsOf(gitDir), ['refs/heads/faultline/job'])
})

test('branches of features are kept whatever their project calls them, and folders of others are not followed', async t => {
  const { remote, sync, commitTo, gitDir, repos } = await setup(t, { files: { a: '1' } })
  const branches = ['ai/task-1-attempt-1', 'faultline/job', 'feat/add-x', 'plain', 'team/web/feat/add-y-v2']
  for (const branch of branches) await commitTo({ a: branch }, { branch })
  for (const name of ['feat/x.lock', 'no branch']) writeFileSync(join(gitDir, 'refs/heads', name), '')
  symlinkSync(join(remote.dir, 'refs/heads'), join(gitDir, 'refs/heads/linked'))
  for (const damaged of ['HEAD', 'faultline.json']) {
    rmSync(join(gitDir, damaged))
    const commit = remote.commit({ a: damaged })
    t.match(await sync(), { commit, lostBranches: [] })
    t.same(
      refsOf(gitDir),
      branches.map(branch => `refs/heads/${branch}`),
      damaged,
    )
    for (const branch of branches) t.equal(fileAt(gitDir, branch, 'a'), branch)
  }
  const own = (await repos.ownBranches('shop')).map(({ branch }) => branch)
  t.same(own.sort(), branches, 'they still go with their project')
  await repos.deleteBranch({ repository: 'shop', projectName: 'shop', branch: 'team/web/feat/add-y-v2' }, signal)
  t.notOk(refsOf(gitDir).includes('refs/heads/team/web/feat/add-y-v2'))
})
