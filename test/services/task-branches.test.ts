import { test } from 'tap'
import { baseHold } from '../../src/pipelines/task/fresh-base.ts'
import { tidyTaskBranches } from '../../src/services/task-branches.ts'
import { setup, signal } from '../repos/objects/commit-to.ts'

test('the branches of a task go when it ends, but for the one that passed', async t => {
  const { repos, commitTo, sync, remote } = await setup(t, { files: { a: '1' } })
  await sync(remote.dir, 'other')
  const of = { repository: 'shop', projectName: 'shop' }
  const attempts = (task: number) => [1, 2].map(attempt => `ai/task-${task}-attempt-${attempt}`)
  const others = [...attempts(12), 'faultline/job-2-base', 'faultline/job-1']
  for (const branch of [...attempts(1), ...others]) await commitTo({ a: '2' }, { branch })
  await commitTo({ a: '2' }, { branch: 'ai/task-1-attempt-3', projectName: 'other' })
  await repos.fetchBase({ ...of, hold: baseHold('job-1') }, signal)
  const left = async () => (await repos.ownBranches('shop')).map(({ branch }) => branch).sort()
  const task = { number: 1, jobId: 'job-1', projectName: 'Shop' }

  for (let i = 0; i < 2; i++) {
    await tidyTaskBranches(repos, { ...task, branch: 'ai/task-1-attempt-2' }, signal)
    t.same(await left(), ['ai/task-1-attempt-2', ...others].sort())
  }
  await tidyTaskBranches(repos, { ...task, branch: null }, signal)
  t.same(await left(), [...others].sort())
  t.match(await repos.ownBranches('other'), [{ branch: 'ai/task-1-attempt-3' }], 'of another project')
  await tidyTaskBranches(repos, { ...task, projectName: 'gone', branch: null }, signal)
})
