import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { ownerOf } from '../../src/cluster/rendezvous.ts'
import { cloneInto } from '../helpers/build-app.ts'
import { startNodes, type TestNode } from '../helpers/cluster.ts'
import { loseFolder } from '../helpers/lose-folder.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'
import { bundled, leftIn, upload } from '../helpers/uploads.ts'

/** The node of a name. */
function nodeOf(nodes: readonly TestNode[], name: string): TestNode {
  const found = nodes.find(node => node.name === name)
  if (found === undefined) throw new Error(`no node ${name}`)
  return found
}

async function resolveAt({ app }: TestNode): Promise<{ status: number; frames: unknown[] }> {
  const res = await app.inject({
    method: 'POST',
    url: '/resolve',
    payload: { stacktrace: SHOP_TRACE, project_name: 'shop' },
  })
  return { status: res.statusCode, frames: res.json<{ frames?: unknown[] }>().frames ?? [] }
}

test('what one node indexes all nodes answer from', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const repos = t.testdir()
  const env = { ALLOW_LOCAL_REPOS: repos }
  const nodes = await startNodes(t, server, {
    http: { env: { ...env, ROLE: 'http' } },
    worker: { env: { ...env, ROLE: 'worker' } },
    both: { env },
  })
  const [http, worker, both] = [nodeOf(nodes, 'http'), nodeOf(nodes, 'worker'), nodeOf(nodes, 'both')]
  const shop = createShop(join(repos, 'shop.git'))
  await cloneInto(t, http, { url: shop.dir, project_name: 'shop' })

  for (const node of [http, both]) {
    const { status, frames } = await resolveAt(node)
    t.equal(status, 200, node.name)
    t.match(frames, [{}])
    t.match((await node.app.inject('/projects/shop')).json(), { project_name: 'shop', files_indexed: Number })
  }
  t.equal((await both.app.inject('/jobs?type=clone')).json<{ data: unknown[] }>().data.length, 1)

  await t.test('a setting that is changed on one node holds on all', async t => {
    const changed = await http.app.inject({ method: 'PATCH', url: '/projects/shop', payload: { ci_comments: false } })
    t.equal(changed.statusCode, 200)
    const holds = async () =>
      (await both.app.inject('/projects/shop')).json<{ ci_comments: boolean }>().ci_comments === false
    t.ok(await eventually(holds))
  })

  await t.test('a node that lost its disk makes everything again', async t => {
    const keeper = nodeOf(nodes, ownerOf(['http', 'both'], 'shop') ?? '')
    loseFolder(keeper.root, 'vector_store/shop')
    const current = join(keeper.root, 'vector_store', 'shop', 'CURRENT')
    // until it looks at the database again it answers from what it has open
    t.ok(await eventually(async () => (await resolveAt(both)).status === 200 && existsSync(current)))
    t.match((await resolveAt(both)).frames, [{}])
  })

  await t.test('a project that is deleted is gone on all nodes', async t => {
    t.equal((await both.app.inject({ method: 'DELETE', url: '/projects/shop' })).statusCode, 204)
    t.ok(await eventually(async () => (await http.app.inject('/projects/shop')).statusCode === 404))
    t.notOk(existsSync(join(http.root, 'vector_store', 'shop')))
  })
  t.equal(worker.services.jobs.running(), 0)
})

test('what is sent to one node is indexed by whichever runs the job', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const nodes = await startNodes(t, server, {
    http: { env: { ROLE: 'http' } },
    first: { env: { ROLE: 'worker' } },
  })
  const [http, first] = [nodeOf(nodes, 'http'), nodeOf(nodes, 'first')]
  const { shop, bundle } = bundled(http)
  const commit = shop.git('rev-parse', 'main')
  t.match(await upload(http, bundle('--all')), { http: 200, status: 'succeeded', result: { commit, files_indexed: 5 } })
  t.equal((await resolveAt(http)).status, 200)

  loseFolder(first.root, 'cloned_repos')
  loseFolder(first.root, 'vector_store')
  const second = shop.commit({ 'src/shop/new.py': 'def new():\n    return 1\n' })
  t.match(
    await upload(http, bundle('main', `^${commit}`)),
    { status: 'succeeded', result: { commit: second, files_indexed: 6, chunks_added: 1 } },
    'a bundle of what is new needs all that was sent before',
  )
  for (const node of nodes) t.same(leftIn(node, '.uploads'), [], `${node.name} keeps no file`)
})
