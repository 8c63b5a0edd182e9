import { join } from 'node:path'
import { test, type Test } from 'tap'
import { mergeIntoBase, tryMerge, type MergeDeps } from '../../../../src/pipelines/steps/result/merge-branch.ts'
import { createGitRepository } from '../../../helpers/git-repository.ts'
import { openJobs } from '../../../helpers/open-jobs.ts'
import { scriptedJob } from '../../../helpers/scripted-job.ts'
import { DATE, signal, taskWorld } from '../../../helpers/task-world.ts'

const WAIT_MS = 30_000
const BRANCH = 'ai/task-7-attempt-1'
const OF = { repository: 'shop', projectName: 'shop' }
const TITLE = 'Refuse an empty address'
const MESSAGE = `Merge task 7: ${TITLE}\n\nBranch: ${BRANCH}\n`

type World = Awaited<ReturnType<typeof taskWorld>>

const request = (base: string) => ({
  at: { ...OF, commit: base },
  branch: BRANCH,
  baseBranch: 'main',
  message: MESSAGE,
})

const open = (t: Test, world: World, git: MergeDeps['git']) =>
  openJobs(
    t,
    { task: scriptedJob(context => mergeIntoBase(context, { git }, request(world.base))) },
    { root: world.root },
  )

/** A branch that changes `a`, and what runs its merge; `push` comes in the place of the clones' own. */
async function setup(t: Test, push?: (own: MergeDeps['git'], world: World) => MergeDeps['git']['pushOnto']) {
  const world = await taskWorld(t)
  const { repos, base } = world
  await repos.commitFiles(
    { ...OF, base, branch: BRANCH, files: { a: 'mine\n' }, message: 'Mine\n', date: DATE },
    signal,
  )
  const git = push === undefined ? repos : { ...repos, pushOnto: push(repos, world) }
  const { jobs, close } = await open(t, world, git)
  const begin = async () => (await jobs.create('task', {})).job.id
  const run = async () => await jobs.settled(await begin(), WAIT_MS)
  return { ...world, begin, run, close, jobs, head: () => world.remote.git('rev-parse', 'main') }
}

test('what passed is merged into the default branch of the remote', async t => {
  const { run, remote, head } = await setup(t)
  const theirs = remote.commit({ b: '2\n' })
  t.match(await run(), { status: 'succeeded', result: { merged: true, commit: head() } })
  t.equal(remote.git('rev-parse', 'main^1'), theirs)
  t.equal(remote.git('log', '-1', '--format=%B', 'main'), `Merge task 7: ${TITLE}\n\nBranch: ${BRANCH}`)
  t.equal(remote.git('show', 'main:a'), 'mine')
  t.equal(remote.git('show', 'main:b'), '2')
  t.equal(remote.git('fsck', '--no-dangling'), '')
  const merged = head()
  t.match(await run(), { result: { merged: true, commit: merged } }, 'another job finds it merged')
  t.equal(head(), merged)
})

test('a branch that moves during the push is merged into once more', async t => {
  const pushes: string[] = []
  const { run, remote, head } = await setup(t, (own, world) => async (req, sig) => {
    if (pushes.push(req.commit) === 1) world.remote.commit({ b: 'theirs\n' })
    return await own.pushOnto(req, sig)
  })
  t.match(await run(), { result: { merged: true, commit: head() } })
  t.equal(pushes.length, 2)
  t.equal(head(), pushes[1])
  t.equal(remote.git('show', 'main:b'), 'theirs')
})

test('a branch that moves each time is left alone', async t => {
  let moves = 0
  const { run, remote, head } = await setup(t, (own, world) => async (req, sig) => {
    world.remote.commit({ b: `${++moves}\n` })
    return await own.pushOnto(req, sig)
  })
  t.match(await run(), {
    status: 'succeeded',
    result: { merged: false, conflicts: [], message: /moved each time.* 2 times/ },
  })
  t.equal(moves, 2)
  t.equal(remote.git('show', `${head()}:b`), '2')
})

test('a conflict and a rewritten branch are told, and nothing is pushed', async t => {
  const { run, remote, head } = await setup(t)
  const theirs = remote.commit({ a: 'theirs\n' })
  t.match(await run(), {
    status: 'succeeded',
    result: {
      merged: false,
      conflicts: ['a'],
      message: 'The change conflicts with what came to "main" meanwhile, in "a".',
    },
  })
  t.equal(head(), theirs)
  const other = remote.commit({ c: 'x\n' }, { orphan: true })
  t.match(await run(), { result: { merged: false, conflicts: [], message: /^"main" was rewritten/ } })
  t.equal(head(), other)
})

test('a job that was killed after its push finds the merge there, also behind later commits', async t => {
  const isPushed = Promise.withResolvers<void>()
  const never = Promise.withResolvers<never>()
  const world = await setup(t, own => async (req, sig) => {
    await own.pushOnto(req, sig)
    isPushed.resolve()
    return await never.promise
  })
  const { begin, close, remote, head, repos } = world
  const id = await begin()
  await isPushed.promise
  const closed = close()
  never.reject(new Error('killed'))
  await closed
  const merged = head()
  const later = remote.commit({ b: 'later\n' }, { parent: merged })
  const { jobs } = await open(t, world, repos)
  t.match(await jobs.settled(id, WAIT_MS), { status: 'succeeded', result: { merged: true, commit: merged } })
  t.equal(head(), later)
})

test('a remote that lets nobody merge fails the job', async t => {
  const { run, remote } = await setup(t)
  remote.git('config', 'receive.denyUpdates', 'true')
  remote.git('config', 'http.receivepack', 'false')
  t.match(await run(), { status: 'failed', error: { code: /PUSH_REJECTED|REPOSITORY_AUTH_FAILED/ } })
})

test("a merge in a person's repository is tried, and nothing is changed there", async t => {
  const world = await taskWorld(t)
  const { repos, remotes, root } = world
  const mine = createGitRepository(join(remotes, 'mine'), { files: { a: '1\n', b: '1\n' }, worktree: true })
  const synced = await repos.sync({ url: mine.dir, projectName: 'mine' }, { signal, onProgress: () => {} })
  const of = { repository: 'mine', projectName: 'mine' }
  await repos.commitFiles(
    { ...of, base: synced.commit, branch: BRANCH, files: { a: 'mine\n' }, message: 'Mine\n', date: DATE },
    signal,
  )
  const asked = { ...request(synced.commit), at: { ...of, commit: synced.commit } }
  const { jobs } = await openJobs(
    t,
    { task: scriptedJob(context => tryMerge(context, { git: repos }, asked)) },
    { root: join(root, 'jobs') },
  )
  const run = async () => await jobs.settled((await jobs.create('task', {})).job.id, WAIT_MS)
  t.match(await run(), { result: { merged: true, commit: /^[0-9a-f]{40}$/ } })
  t.equal(mine.git('rev-parse', 'main'), synced.commit)
  mine.commit({ b: 'other\n' })
  t.match(await run(), { result: { merged: true } })
  mine.commit({ a: 'theirs\n' })
  t.match(await run(), { result: { merged: false, conflicts: ['a'] } })
  t.equal(mine.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main')
})
