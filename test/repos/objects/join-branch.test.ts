import { join } from 'node:path'
import { test } from 'tap'
import { openRepos } from '../test-repos.ts'
import { DATE, setup, signal } from './commit-to.ts'

test('a commit takes the place of what a branch holds, as something that can be pushed over it', async t => {
  const { root, remote } = await setup(t)
  const repos = openRepos(t, { clonedReposDir: join(root, 'joined'), allowLocalRepos: [root] })
  const { commit: base, gitDir } = await repos.sync(
    { url: remote.dir, projectName: 'shop' },
    { signal, onProgress: () => {} },
  )
  const common = { repository: 'shop', projectName: 'shop', message: 'Mend\n', date: DATE }
  const { commit: old } = await repos.commitFiles(
    { ...common, base, branch: 'faultline/old', files: { 'a.py': 'old\n', 'only-old.py': 'x\n' } },
    signal,
  )
  await repos.push({ ...common, branch: 'faultline/old' }, signal)
  remote.commit({ 'b.txt': 'moved on\n' })
  const { commit: newer } = await repos.sync({ url: remote.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  const { commit } = await repos.commitFiles(
    { ...common, base: newer, branch: 'faultline/new', files: { 'a.py': 'new\n' } },
    signal,
  )

  const request = { ...common, branch: 'faultline/old', commit }
  const made = await repos.joinBranch(request, signal)
  t.same(await repos.joinBranch({ ...request, date: DATE + 9 }, signal), made, 'once, however often')
  await repos.push({ ...common, branch: 'faultline/old' }, signal)
  t.equal(remote.git('rev-parse', 'faultline/old'), made.commit)
  t.equal(remote.git('log', '-1', '--format=%P', 'faultline/old'), `${old} ${commit}`)
  t.equal(remote.git('diff', '--name-only', newer, 'faultline/old'), 'a.py', 'nothing else differs from the new base')
  t.equal(remote.git('show', 'faultline/old:a.py'), 'new')
  t.ok(gitDir)

  await t.rejects(repos.joinBranch({ ...request, branch: 'main' }, signal), { code: 'NOT_FOUND' })
  await t.rejects(repos.joinBranch({ ...request, projectName: 'other' }, signal), { code: 'NOT_FOUND' })
  await t.rejects(repos.joinBranch({ ...request, commit: 'e'.repeat(40) }, signal), { code: 'NOT_FOUND' })
  await t.rejects(repos.joinBranch({ ...request, repository: '../shop' }, signal), { code: 'NOT_FOUND' })
})
