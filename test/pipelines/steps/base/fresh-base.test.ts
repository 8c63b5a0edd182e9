import { test, type Test } from 'tap'
import { createClonePipeline } from '../../../../src/pipelines/clone/run.ts'
import { baseHold, freshBase } from '../../../../src/pipelines/steps/base/fresh-base.ts'
import { openJobs } from '../../../helpers/open-jobs.ts'
import { scriptedJob } from '../../../helpers/scripted-job.ts'
import { taskWorld } from '../../../helpers/task-world.ts'

const WAIT_MS = 30_000

type World = Awaited<ReturnType<typeof taskWorld>>

const beginTask = ({ deps }: Pick<World, 'deps'>) =>
  scriptedJob(context => freshBase(context, deps, { projectName: 'shop' }))

const open = (t: Test, world: World) =>
  openJobs(
    t,
    { task: beginTask(world), clone: createClonePipeline({ ...world.deps, hasClone: async () => true }) },
    { root: world.root, concurrency: 5 },
  )

async function setup(t: Test) {
  const world = await taskWorld(t)
  const { jobs, close } = await open(t, world)
  const begin = async () => (await jobs.create('task', {})).job
  const run = async () => {
    const job = await begin()
    return await jobs.settled(job.id, WAIT_MS)
  }
  return { ...world, jobs, close, begin, run }
}

test('a task begins from the newest commit, and the index is brought up to it', async t => {
  const { run, remote, base, indexed, repos } = await setup(t)
  t.match(await run(), { status: 'succeeded', result: { at: { commit: base }, branch: 'main', notes: [] } })
  t.same(indexed, [], 'nothing is to do')
  const commit = remote.commit({ a: '2\n' })
  const { id, ...job } = await run()
  t.match(job, {
    status: 'succeeded',
    result: { at: { repository: 'shop', projectName: 'shop', commit }, branch: 'main', notes: [] },
  })
  t.same(indexed, [{ commit, include: ['*'], exclude: ['x'] }])
  t.ok((await repos.ownBranches('shop')).some(({ branch }) => branch === baseHold(id)))
})

test('an index of something else stays as it is, and the commit is fetched all the same', async t => {
  const { run, remote, base, indexed, index, jobs } = await setup(t)
  const commit = remote.commit({ a: '2\n' })
  for (const [change, note] of [
    [{ branch: 'side' }, /the index stays as it is: it holds the branch "side"/],
    [{ branch: null }, /a commit that was named/],
    [{ branch: 'main', uncommitted: { commit: base, files: 1 } }, /files that are not committed/],
  ] as const) {
    index(change)
    const { id, ...job } = await run()
    t.match(job, { result: { at: { commit }, branch: 'main', notes: [note] } })
    const said = (await jobs.events(id, 0)).filter(({ event }) => event === 'log').map(({ data }) => data)
    t.match(said, [{ text: note }], 'and the events of the job say so')
  }
  index({ branch: null, uncommitted: undefined, commit })
  t.match(await run(), { result: { at: { commit }, notes: [] } })
  t.same(indexed, [])
})

test('without a remote that answers a task begins with what the clone has', async t => {
  const { run, remote, server, repos, indexed } = await setup(t)
  const known = remote.commit({ a: '2\n' })
  await repos.fetchBase({ repository: 'shop', projectName: 'shop' }, new AbortController().signal)
  server.behaviour.status = 500
  t.match(await run(), {
    status: 'succeeded',
    result: { at: { commit: known }, notes: [/as the clone has it/, /^The index could not be brought up to date\. /] },
  })
  t.same(indexed, [])
})

test('tasks and clone jobs of a project index one after the other, and never an older commit', async t => {
  const { begin, jobs, remote, indexed, hooks, running, url } = await setup(t)
  const commits = [remote.commit({ a: '2\n' })]
  const isIndexing = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  hooks.beforeIndex = async () => {
    isIndexing.resolve()
    await goOn.promise
  }
  const first = await begin()
  await isIndexing.promise
  commits.push(remote.commit({ a: '3\n' }))
  const others = [await begin(), (await jobs.create('clone', { url, project_name: 'shop' })).job, await begin()]
  goOn.resolve()
  for (const { id } of [first, ...others]) {
    t.match(await jobs.settled(id, WAIT_MS), { status: 'succeeded' })
  }
  t.equal(running.most, 1)
  const order = indexed.map(({ commit }) => commits.indexOf(commit))
  t.same(order, [...order].sort(), 'forwards only')
  t.equal(order.at(-1), 1)
})

test('a task that is begun again keeps its base', async t => {
  const world = await setup(t)
  const { begin, remote, hooks, close, indexed } = world
  const commit = remote.commit({ a: '2\n' })
  const isIndexing = Promise.withResolvers<void>()
  const never = Promise.withResolvers<void>()
  hooks.beforeIndex = async () => {
    isIndexing.resolve()
    await never.promise
  }
  const { id } = await begin()
  await isIndexing.promise
  const closed = close()
  never.reject(new Error('killed'))
  await closed
  const newest = remote.commit({ a: '3\n' })
  hooks.beforeIndex = async () => {}
  const again = await open(t, world)
  t.match(await again.jobs.settled(id, WAIT_MS), {
    status: 'succeeded',
    result: { at: { commit }, notes: [/^The index holds/] },
  })
  t.same(
    indexed.map(one => one.commit),
    [newest],
  )
})

test('a task that is cancelled while it waits lets the others go on', async t => {
  const { begin, jobs, remote, hooks, indexed } = await setup(t)
  const commit = remote.commit({ a: '2\n' })
  const isIndexing = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  hooks.beforeIndex = async () => {
    isIndexing.resolve()
    await goOn.promise
  }
  const [first, second] = [await begin(), await begin()]
  await isIndexing.promise
  await jobs.cancel(second.id)
  t.match(await jobs.settled(second.id, WAIT_MS), { status: 'cancelled' })
  goOn.resolve()
  t.match(await jobs.settled(first.id, WAIT_MS), { status: 'succeeded', result: { at: { commit } } })
  t.match(await jobs.settled((await begin()).id, WAIT_MS), { status: 'succeeded' })
  t.equal(indexed.length, 1)
})
