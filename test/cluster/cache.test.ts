import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { cloneInto } from '../helpers/build-app.ts'
import { startNodes, type TestNode } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const PROJECTS = ['one', 'two', 'three']

const hasIndex = ({ root }: TestNode, project: string): boolean =>
  existsSync(join(root, 'vector_store', project, 'CURRENT'))
const clonesOf = ({ root }: TestNode): string[] =>
  readdirSync(join(root, 'cloned_repos')).filter(name => !name.startsWith('.'))

async function resolveAt({ app }: TestNode, project: string): Promise<[status: number, frames: number]> {
  const payload = { stacktrace: SHOP_TRACE, project_name: project }
  const res = await app.inject({ method: 'POST', url: '/resolve', payload })
  return [res.statusCode, res.json<{ frames?: unknown[] }>().frames?.length ?? 0]
}

async function loadOf({ app, name }: TestNode): Promise<Record<string, number>> {
  const { nodes } = (await app.inject('/cluster')).json<{
    nodes: Array<{ name: string; load: Record<string, number> }>
  }>()
  return nodes.find(node => node.name === name)?.load ?? {}
}

test('a node holds what fits, and answers about the rest', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const repos = t.testdir()
  let isFull = false
  const small: { node: TestNode | null } = { node: null }
  const env = { ALLOW_LOCAL_REPOS: repos, CLUSTER_SECRET: '' }
  const nodes = await startNodes(t, server, {
    // less than any index takes
    small: {
      env: { ...env, ROLE: 'http', CACHE_GB: '0.00005' },
    },
    full: {
      env: { ...env, ROLE: 'http', CACHE_GB: '0' },
      freeBytes: async () => {
        const { node } = small
        const holds = node !== null && PROJECTS.some(project => hasIndex(node, project))
        return isFull && holds ? 0 : 2 ** 50
      },
    },
    worker: { env: { ...env, ROLE: 'worker', CACHE_GB: '0.000001' } },
  })
  const [http, full, worker] = nodes as [TestNode, TestNode, TestNode]
  small.node = full
  const shop = createShop(join(repos, 'shop.git'))
  for (const project of PROJECTS) await cloneInto(t, http, { url: shop.dir, project_name: project })

  await t.test('a list and the figures bring nothing', async t => {
    const { data } = (await full.app.inject('/projects')).json<{ data: Array<Record<string, unknown>> }>()
    t.same(
      data.map(({ project_name: name, files_indexed: files, index_state: state }) => [name, files, state]),
      PROJECTS.toReversed().map(name => [name, 5, 'ready']),
    )
    t.ok(data.every(({ store_bytes: bytes }) => Number(bytes) > 0))
    t.notMatch((await full.app.inject('/metrics')).body, /faultline_index_bytes\{project/)
    t.notOk(PROJECTS.some(project => hasIndex(full, project)))
  })

  await t.test('several projects that do not fit together are all answered, again and again', async t => {
    for (let round = 0; round < 3; round++) {
      const asked = [...PROJECTS, ...PROJECTS].map(project => resolveAt(http, project))
      for (const [status, frames] of await Promise.all(asked)) t.same([status, frames > 0], [200, true])
    }
    t.ok(await eventually(() => PROJECTS.every(project => !hasIndex(http, project))), 'when nobody asks')
    t.same(await resolveAt(http, 'two'), [200, 2])
    const shown = async () => {
      const { projects_cached: projects, cache_limit_bytes: limit } = await loadOf(http)
      return projects === 0 && limit === 53_687
    }
    t.ok(await eventually(shown))
    t.match((await http.app.inject('/metrics')).body, /faultline_cache_limit_bytes\{[^}]*\} 53687\n/)
  })

  await t.test('a worker makes a clone again that it gave up', async t => {
    t.ok(await eventually(() => clonesOf(worker).length === 0), 'its tar is kept')
    const commit = shop.commit({ 'src/shop/new.py': 'def new():\n    return 1\n' })
    await cloneInto(t, http, { url: shop.dir, project_name: 'one' })
    t.match((await http.app.inject('/projects/one')).json(), { files_indexed: 6, repositories: [{ commit }] })
    t.ok(await eventually(() => clonesOf(worker).length === 0))
  })

  await t.test('a full disk is given room before work is refused', async t => {
    for (const project of PROJECTS) t.same(await resolveAt(full, project), [200, 2])
    t.ok(await eventually(async () => (await loadOf(full)).projects_cached === 3))
    isFull = true
    const payload = { url: shop.dir, project_name: 'four' }
    t.equal((await full.app.inject({ method: 'POST', url: '/clone', payload })).statusCode, 202)
    t.notOk(PROJECTS.some(project => hasIndex(full, project)))
    isFull = false
  })

  await t.test('what is left of a project that was deleted goes from every node', async t => {
    for (const project of PROJECTS) await resolveAt(full, project)
    t.equal((await http.app.inject({ method: 'DELETE', url: '/projects/three' })).statusCode, 204)
    const isGone = (node: TestNode) => !existsSync(join(node.root, 'vector_store', 'three'))
    t.ok(await eventually(() => [http, full, worker].every(isGone)), 'though nobody asks about it there')
    t.ok(hasIndex(full, 'one'))
  })
})
