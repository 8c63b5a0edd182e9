import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'tap'
import type { ClusterAnswer } from '../../src/contract/cluster.ts'
import type { Readiness } from '../../src/contract/readiness.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { patient } from '../helpers/patient-fetch.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { createShop } from '../helpers/sample-repository.ts'
import { INLINE_SERVER, startServerProcess } from '../helpers/server-process.ts'
import { testFolder } from '../helpers/test-folder.ts'

const json = async <T>(url: string): Promise<T> => (await (await patient(() => fetch(url))).json()) as T
const nodesOf = async (url: string) => (await json<ClusterAnswer>(`${url}/cluster`)).nodes

test('a node that gets SIGTERM hands over before it ends', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const root = testFolder(t)
  createShop(join(root, 'served', 'shop.git'))
  const git = await startGitHttpServer(join(root, 'served'), { stall: true })
  t.teardown(() => git.close())
  const DATABASE_URL = await server.createDatabase()
  const start = async (name: string) => {
    const env = { DATABASE_URL, CLUSTER_SECRET, NODE_NAME: name, ALLOW_PRIVATE_HOSTS: 'true' }
    const node = await startServerProcess(join(root, name), env, INLINE_SERVER)
    t.teardown(() => node.end('SIGKILL'))
    return node
  }
  const [leaving, staying] = [await start('leaving'), await start('staying')]
  t.ok(await eventually(async () => (await nodesOf(staying.url)).length === 2))
  t.match(await json<Readiness>(`${leaving.url}/ready`), { ready: true, node: { name: 'leaving', draining: false } })

  const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const body = JSON.stringify({ url: `${git.url}/shop.git` })
  const created = await patient(() => fetch(`${leaving.url}/clone`, { ...post, body }))
  const { id } = (await created.json()) as { id: string }
  const stream = await fetch(`${leaving.url}/jobs/${id}/events`, { headers: { accept: 'text/event-stream' } })
  const waiting = fetch(`${leaving.url}/jobs/${id}?wait=60`)
  await git.stalled
  const exit = once(leaving.child, 'exit')
  leaving.child.kill('SIGTERM')

  const text = await stream.text()
  t.match(text, /event: status\ndata: \{"status":"running"/)
  t.match(text, /retry: 1000\n\n$/, 'the stream asks to come again, elsewhere')
  t.match([(await waiting).status], [200], 'who waits for a job is answered')
  const ready = await fetch(`${leaving.url}/ready`)
  t.match([ready.status, ready.headers.get('retry-after')], [503, '1'])
  t.match(await ready.json(), { ready: false, node: { draining: true }, git: { available: true } })
  t.equal((await fetch(`${leaving.url}/projects`)).status, 200, 'a request that comes meanwhile is answered')
  t.match(await nodesOf(staying.url), [
    { name: 'leaving', draining: true },
    { name: 'staying', draining: false },
  ])
  t.same(await exit, [0, null])
  t.match(await nodesOf(staying.url), [{ name: 'staying' }], 'and its row is gone')
  t.equal((await nodesOf(staying.url)).length, 1)
})
