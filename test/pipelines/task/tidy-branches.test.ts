import { test } from 'tap'
import { baseHold } from '../../../src/pipelines/steps/base/fresh-base.ts'
import {
  tidyLeftBranches,
  tidyTaskBranches,
  type EndedTask,
  type TaskOfBranch,
} from '../../../src/pipelines/task/tidy-branches.ts'
import { setup, signal } from '../../repos/objects/commit-to.ts'

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

test('what a kill left of tasks goes at the start, and of running or unknown ones nothing', async t => {
  const { repos, commitTo } = await setup(t, { files: { a: '1' } })
  const [failed, done, running, unknown] = [1, 2, 3, 4].map(task => `ai/task-${task}-attempt-1`)
  const branches = [failed, done, running, unknown, 'ai/task-2-attempt-2', 'faultline/job-1', 'ai/other']
  for (const branch of branches) await commitTo({ a: '2' }, { branch })
  for (const job of ['job-1', 'job-3', 'job-5']) await commitTo({ a: '2' }, { branch: baseHold(job) })
  const tasks: EndedTask[] = [
    { number: 1, jobId: 'job-1', projectName: 'shop', branch: null },
    { number: 2, jobId: 'job-2', projectName: 'shop', branch: 'ai/task-2-attempt-2' },
    { number: 5, jobId: 'job-5', projectName: 'shop', branch: null },
  ]
  const asked: TaskOfBranch[] = []
  const endedTask = async (of: TaskOfBranch) => {
    asked.push(of)
    const isIt = (task: EndedTask) => ('number' in of ? task.number === of.number : task.jobId === of.jobId)
    return tasks.find(isIt) ?? null
  }
  await tidyLeftBranches(repos, { projectNames: ['gone', 'shop'], endedTask }, signal)
  const left = (await repos.ownBranches('shop')).map(({ branch }) => branch)
  const kept = [running, unknown, 'ai/task-2-attempt-2', 'faultline/job-1', 'ai/other', baseHold('job-3')]
  t.same(left.sort(), kept.sort())
  t.equal(asked.length, 7, 'each task is asked for once')
})
