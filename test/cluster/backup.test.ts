import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { ClusterAnswer } from '../../src/contract/cluster.ts'
import { cloneInto } from '../helpers/build-app.ts'
import { startNodes, type TestNode } from '../helpers/cluster.ts'
import { documented, DUMP_VERSION } from '../helpers/documented.ts'
import { noPostgres, startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { bundled, upload } from '../helpers/uploads.ts'

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')))
  })

/** One job keeps a file and asks; the other one runs until the gate is open. */
function createDefinitions() {
  const gate = Promise.withResolvers<undefined>()
  const runs = Promise.withResolvers<undefined>()
  return {
    runs: runs.promise,
    open: () => gate.resolve(undefined),
    definitions: {
      generate: scriptedJob(async ({ files, step, ask }) => {
        await step('keep', () => files.put(new Map([['kept.txt', 'kept before']])))
        return await ask('which', { kind: 'clarification', question: 'Which?' })
      }),
      improve: scriptedJob(async ({ step }) => {
        await step('first', async () => 1)
        runs.resolve(undefined)
        await step('second', signal => Promise.race([gate.promise, untilAborted(signal)]))
        return 'done'
      }),
    },
  }
}

async function startPairOf(
  t: Test,
  server: Pick<TestPostgres, 'createDatabase'>,
  { suffix, definitions, env }: { suffix: string; definitions: object; env: Record<string, string> },
): Promise<[http: TestNode, worker: TestNode]> {
  const nodes = await startNodes(t, server, {
    [`http-${suffix}`]: { definitions, env: { ...env, ROLE: 'http' } },
    [`worker-${suffix}`]: { definitions, env: { ...env, ROLE: 'worker' } },
  })
  return nodes as [TestNode, TestNode]
}

async function resolveAt({ app }: TestNode, project: string) {
  const payload = { stacktrace: SHOP_TRACE, project_name: project, mode: 'context' }
  const res = await app.inject({ method: 'POST', url: '/resolve', payload })
  return { status: res.statusCode, frames: res.json<{ frames?: Array<{ path: string | null }> }>().frames }
}

test('a cluster is the same again from its backup', { skip: noPostgres(DUMP_VERSION) }, async t => {
  const folder = t.testdir({ repos: {} })
  const env = { ALLOW_LOCAL_REPOS: join(folder, 'repos'), OBJECT_STORE_URL: `file://${folder}/objects` }
  const first = await startPostgres(DUMP_VERSION)
  t.teardown(() => first.close())
  const url = await first.createDatabase()
  const { definitions, runs } = createDefinitions()
  const [http, worker] = await startPairOf(t, { createDatabase: async () => url }, { suffix: 'a', definitions, env })
  const shop = createShop(join(folder, 'repos/cloned.git'))
  await cloneInto(t, http, { url: shop.dir, project_name: 'cloned' })
  const uploaded = bundled({ ...http, reposDir: join(folder, 'repos'), root: folder })
  const commit = uploaded.shop.git('rev-parse', 'main')
  t.match(await upload(http, uploaded.bundle('--all')), { status: 'succeeded' })
  const { frames } = await resolveAt(http, 'cloned')
  t.ok(frames?.some(({ path }) => path !== null))
  const waiting = (await http.services.jobs.create('generate', { project_name: 'cloned' })).job.id
  t.ok(await eventually(async () => (await http.services.jobs.get(waiting)).status === 'waiting'))
  const running = (await http.services.jobs.create('improve', { project_name: 'cloned' })).job.id
  await runs
  await http.app.inject({ method: 'PATCH', url: '/projects/cloned', payload: { ci_comments: false } })

  documented('pg_dump', { url, folder })
  documented('cp --archive /srv/objects', { url, folder })
  await http.close()
  await worker.close()
  await first.close()
  for (const name of ['objects', 'http-a', 'worker-a']) rmSync(join(folder, name), { recursive: true, force: true })

  const second = await startPostgres(DUMP_VERSION)
  t.teardown(() => second.close())

  await t.test('the database and the objects', async t => {
    const restored = await second.createDatabase()
    documented('pg_restore', { url: restored, folder })
    documented('cp --archive /srv/backup', { url: restored, folder })
    const after = createDefinitions()
    after.open()
    const from = { suffix: 'b', definitions: after.definitions, env }
    const [http, worker] = await startPairOf(t, { createDatabase: async () => restored }, from)

    t.same((await resolveAt(http, 'cloned')).frames, frames, 'projects answer')
    t.match((await http.app.inject('/projects/cloned')).json(), { ci_comments: false, index_state: 'ready' })
    t.equal((await http.app.inject(`/jobs/${waiting}/files/kept.txt`)).body, 'kept before')
    const payload = { answer: 'this one' }
    const answered = await http.app.inject({ method: 'POST', url: `/jobs/${waiting}/reply?wait=60`, payload })
    t.match(answered.json(), { status: 'succeeded', result: { answer: 'this one' } }, 'who waited is answered')
    t.match(await http.services.jobs.settled(running, 60_000), { status: 'succeeded', result: 'done' })
    const told = (await http.services.jobs.events(running, 0)).map(({ id }) => id)
    t.same(
      told,
      told.map((_id, place) => place + 1),
    )
    await cloneInto(t, http, { url: shop.dir, project_name: 'cloned' })
    const file = { 'src/shop/new.py': 'def new():\n    return 1\n' }
    const later = uploaded.shop.commit(file)
    t.match(
      await upload(http, uploaded.bundle('main', `^${commit}`)),
      { status: 'succeeded', result: { commit: later } },
      'what was uploaded is there',
    )
    const { nodes } = (await http.app.inject('/cluster')).json<ClusterAnswer>()
    const alive = nodes.filter(node => node.alive).map(({ name }) => name)
    t.same(alive.sort(), ['http-b', 'worker-b'], 'those of before are dead')
    await http.close()
    await worker.close()
  })

  await t.test('the database alone', async t => {
    rmSync(join(folder, 'objects'), { recursive: true })
    const restored = await second.createDatabase()
    documented('pg_restore', { url: restored, folder })
    const after = createDefinitions()
    after.open()
    const from = { suffix: 'c', definitions: after.definitions, env }
    const [http] = await startPairOf(t, { createDatabase: async () => restored }, from)
    t.equal((await resolveAt(http, 'cloned')).status, 409)
    t.equal((await http.app.inject('/projects/cloned')).statusCode, 200)
    t.equal((await http.app.inject(`/jobs/${waiting}`)).statusCode, 200)
    const kept = await http.app.inject(`/jobs/${waiting}/files/kept.txt`)
    t.match([kept.statusCode, kept.json()], [409, { code: 'DATA_DAMAGED' }])
    await cloneInto(t, http, { url: shop.dir, project_name: 'cloned' })
    t.ok(await eventually(async () => (await resolveAt(http, 'cloned')).status === 200))
    t.same((await resolveAt(http, 'cloned')).frames, frames)
  })
})
