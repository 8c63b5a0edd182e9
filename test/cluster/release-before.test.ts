import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test, type Test } from 'tap'
import type { ClusterAnswer } from '../../src/contract/cluster.ts'
import { MIGRATIONS } from '../../src/postgres/migrations/migrations.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { patient } from '../helpers/patient-fetch.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { checkOutReleaseBefore, noReleaseBefore } from '../helpers/release-before.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'
import { INLINE_SERVER, startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { testFolder } from '../helpers/test-folder.ts'

const run = promisify(execFile)
const CLI = join(import.meta.dirname, '../../src/cli.ts')
const NEWEST = MIGRATIONS.length

const noTest = noPostgres(ANY_VERSION) === false ? noReleaseBefore() : noPostgres(ANY_VERSION)

async function ask<T>(url: string, body?: object): Promise<{ status: number; json: T }> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const res = await patient(() => fetch(url, body === undefined ? {} : post))
  return { status: res.status, json: (await res.json()) as T }
}

/** Two releases on one database, whose nodes are processes. */
async function openWorld(t: Test) {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const DATABASE_URL = await server.createDatabase()
  const root = testFolder(t)
  const before = checkOutReleaseBefore(join(root, 'release-before'))
  const repos = join(root, 'served')
  mkdirSync(repos)
  const shop = createShop(join(repos, 'shop.git'))
  const db = openDatabase(databaseSettings(DATABASE_URL), { name: 'test', onError: () => {} })
  t.teardown(() => db.close())
  const env = { DATABASE_URL, CLUSTER_SECRET, ALLOW_LOCAL_REPOS: repos }

  return {
    db,
    shop,
    async start(name: string, role: 'http' | 'worker'): Promise<ServerProcess> {
      const entry = name.startsWith('old') ? before.server : INLINE_SERVER
      const node = await startServerProcess(join(root, name), { ...env, NODE_NAME: name, ROLE: role }, entry)
      t.teardown(() => node.end('SIGKILL'))
      return node
    },
    /** `faultline migrate` of a release. */
    async migrate(
      release: 'old' | 'new',
      ...args: string[]
    ): Promise<{ code: number; stdout: string; stderr: string }> {
      const command = [release === 'old' ? before.cli : CLI, 'migrate', ...args]
      const options = { cwd: root, env: { ...CHILD_ENV, HOME: root, ...env } }
      return run(process.execPath, command, options).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: unknown) => error as { code: number; stdout: string; stderr: string },
      )
    },
    /** Clones the shop as a project, asked of a node. @returns Which node made what is published now. */
    async clone({ url }: ServerProcess, project: string): Promise<unknown> {
      const { json } = await ask<{ id: string; status: string }>(`${url}/clone?wait=60`, {
        url: shop.dir,
        project_name: project,
      })
      t.equal(json.status, 'succeeded', JSON.stringify(json))
      const { rows } = await db.query('SELECT node FROM published_generations WHERE project = $1', [project])
      return rows[0]?.node
    },
    /** The text that a node finds for the trace. */
    async resolve({ url }: ServerProcess, project: string): Promise<string> {
      const body = { stacktrace: SHOP_TRACE, project_name: project, mode: 'context' }
      const { status, json } = await ask(`${url}/resolve`, body)
      t.equal(status, 200)
      return JSON.stringify(json)
    },
  }
}

async function drain(t: Test, node: ServerProcess): Promise<void> {
  const exit = once(node.child, 'exit')
  node.child.kill('SIGTERM')
  t.same(await exit, [0, null], 'it ends by itself')
}

test('the release before works beside this one', { skip: noTest }, async t => {
  const { db, shop, start, migrate, clone, resolve } = await openWorld(t)
  const oldHttp = await start('old-http', 'http')
  const oldWorker = await start('old-worker', 'worker')
  t.equal(await clone(oldHttp, 'shop'), 'old-worker')

  await t.test('the schema is widened while the older one runs', async t => {
    const { code, stdout } = await migrate('new', '--json')
    t.equal(code, 0)
    t.match(JSON.parse(stdout), { version: NEWEST })
    const nothing = await migrate('old', '--json')
    t.match([nothing.code, JSON.parse(nothing.stdout)], [0, { version: NEWEST, applied: [], pending: [] }])
    t.equal((await ask(`${oldHttp.url}/ready`)).status, 200)
  })

  const newHttp = await start('new-http', 'http')
  const nodes = async () => (await ask<ClusterAnswer>(`${newHttp.url}/cluster`)).json.nodes
  t.ok(await eventually(async () => (await nodes()).length === 3))

  await t.test('what is asked of the newer one the older one does, and the newer one reads it', async t => {
    t.match(await resolve(newHttp, 'shop'), /total \/ len\(items\)/)
    shop.commit({ 'src/shop/prices.py': 'def average(items):\n    return sum(items) / len(items)  # second\n' })
    t.equal(await clone(newHttp, 'shop'), 'old-worker')
    for (const node of [oldHttp, newHttp]) {
      t.ok(await eventually(async () => (await resolve(node, 'shop')).includes('# second')))
    }
  })

  const newWorker = await start('new-worker', 'worker')
  await t.test('jobs of both run on both, each step once', async t => {
    const names = Array.from({ length: 8 }, (_, i) => `shop-${i}`)
    await Promise.all(names.map((name, i) => clone(i % 2 === 0 ? oldHttp : newHttp, name)))
    const { rows } = await db.query(
      `SELECT id, attempt, last_event, (SELECT count(*) FROM job_events WHERE job_seq = seq) AS events,
         (SELECT count(*) FROM job_events WHERE job_seq = seq AND event = 'step' AND data LIKE '%"finished":true%') AS told,
         (SELECT count(*) FROM job_steps WHERE job_seq = seq AND name <> 'budget') AS steps
       FROM jobs`,
    )
    t.equal(rows.length, names.length + 2)
    for (const { id, attempt, last_event: last, events, told, steps } of rows) {
      t.equal(attempt, 1, String(id))
      t.equal(events, last, 'events have no gaps')
      t.equal(told, steps, 'every step is told of once')
    }
  })

  await t.test('the older ones are drained, and nothing is missed', async t => {
    await drain(t, oldWorker)
    shop.commit({ 'src/shop/prices.py': 'def average(items):\n    return sum(items) / len(items)  # third\n' })
    t.equal(await clone(oldHttp, 'shop'), 'new-worker', 'what is asked of the older one the newer one does')
    for (const node of [oldHttp, newHttp]) {
      t.ok(await eventually(async () => (await resolve(node, 'shop')).includes('# third')), 'and both read it')
    }
    await drain(t, oldHttp)
    shop.commit({ 'src/shop/prices.py': 'def average(items):\n    return sum(items) / len(items)  # fourth\n' })
    t.equal(await clone(newHttp, 'shop'), 'new-worker')
    t.match(await resolve(newHttp, 'shop'), /# fourth/)
    t.same((await nodes()).map(({ name }) => name).sort(), ['new-http', 'new-worker'])
  })
  await drain(t, newWorker)
  await drain(t, newHttp)

  await t.test('a schema without what it needs is refused by the older one in one sentence', async t => {
    await db.query("INSERT INTO migrations (version, name, works_from) VALUES ($1, 'narrower', $1)", [NEWEST + 1])
    const said = `The schema of the database has version ${NEWEST + 1}, with which this release`
    await t.rejects(start('old-late', 'http'), { message: new RegExp(`did not start: faultline: ${said}[^\n]*$`) })
    const { code, stderr } = await migrate('old')
    t.not(code, 0)
    t.match(stderr, said)
    const { rows } = await db.query('SELECT max(version) AS version FROM migrations')
    t.same(rows, [{ version: NEWEST + 1 }], 'and nothing is changed')
  })
})
