import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import type { ClusterAnswer } from '../../src/contract/cluster.ts'
import { ownerOf } from '../../src/cluster/rendezvous.ts'
import { cloneShopFor, CLUSTER_SECRET, knowProjects } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { INLINE_SERVER, startServerProcess } from '../helpers/server-process.ts'

const PROJECT = ownerOf(['one', 'two'], 'shop') === 'two' ? 'shop' : 'shop-of-two'

test('a node that stands still or is killed costs time and no answer', { skip: noPostgres(ANY_VERSION) }, async t => {
  t.equal(ownerOf(['one', 'two'], PROJECT), 'two')
  const server = await startPostgres()
  t.teardown(() => server.close())
  const from = await cloneShopFor(t, [PROJECT])
  const DATABASE_URL = await server.createDatabase()
  await knowProjects(DATABASE_URL, join(from, 'vector_store'))
  const start = async (name: string) => {
    const root = join(t.testdirName, name)
    for (const folder of ['vector_store', 'cloned_repos']) {
      cpSync(join(from, folder), join(root, folder), { recursive: true })
    }
    const node = await startServerProcess(root, { DATABASE_URL, CLUSTER_SECRET, NODE_NAME: name }, INLINE_SERVER)
    t.teardown(() => node.end('SIGKILL'))
    return node
  }
  const [one, two] = [await start('one'), await start('two')]
  const resolve = async (): Promise<string | null> => {
    const body = JSON.stringify({ stacktrace: SHOP_TRACE, project_name: PROJECT, mode: 'context' })
    const headers = { 'content-type': 'application/json' }
    const res = await fetch(`${one.url}/resolve`, { method: 'POST', headers, body })
    t.match(await res.json(), { project_name: PROJECT, frames: [{}] })
    return res.headers.get('x-faultline-node')
  }
  const isAlive = async (name: string): Promise<boolean> => {
    const { nodes } = (await (await fetch(`${one.url}/cluster`)).json()) as ClusterAnswer
    return nodes.some(node => node.name === name && node.alive)
  }
  t.ok(await eventually(async () => (await resolve()) === 'two'))

  two.child.kill('SIGSTOP')
  t.equal(await resolve(), 'one', 'one that stands still is asked until it counts as dead')
  t.notOk(await isAlive('two'))
  t.equal(await resolve(), 'one')
  two.child.kill('SIGCONT')
  t.ok(await eventually(async () => (await resolve()) === 'two'), 'then it is asked again')

  await two.end('SIGKILL')
  t.ok(await isAlive('two'), 'it has been dead for a moment')
  t.equal(await resolve(), 'one')
})
