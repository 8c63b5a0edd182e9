import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { openDatabase } from '../../src/postgres/pool.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { cloneInto } from '../helpers/build-app.ts'
import { CLUSTER_SECRET, startNodes, type TestNode } from '../helpers/cluster.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { until } from '../helpers/cluster/worker-process.ts'
import { patient } from '../helpers/patient-fetch.ts'
import { inJail, needing, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, startServerProcess } from '../helpers/server-process.ts'

const here = needing(inJail, noPostgres(ANY_VERSION) === false, 'PostgreSQL is not installed')
const FILES = { 'a.txt': 'one\n', 'main.py': 'x = 1\n' }
const EDIT = { text: '```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n```\n' }

interface JobAnswer {
  id: string
  status: string
  error: { code: string; message: string } | null
  result: { node?: string; key: string; reused: boolean } | null
}

/** A node, wherever it runs: sends a request, and gives what was answered. */
type Ask = (method: 'GET' | 'POST' | 'PATCH', url: string, body?: object) => Promise<unknown>

const asking =
  ({ app }: TestNode): Ask =>
  async (method, url, payload) =>
    (await app.inject({ method, url, payload })).json()

const askingAt =
  (origin: string): Ask =>
  async (method, url, body) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method, headers, body: body && JSON.stringify(body) }
    const res = await patient(() => fetch(`${origin}${url}`, init))
    return await res.json()
  }

async function settled(ask: Ask, { id }: Pick<JobAnswer, 'id'>): Promise<JobAnswer> {
  for (;;) {
    const job = (await ask('GET', `/jobs/${id}?wait=30`)) as JobAnswer
    if (!['queued', 'running'].includes(job.status)) return job
  }
}

/** A job that runs the linter of a project, and so needs its environment. */
async function lint(ask: Ask, project: string): Promise<JobAnswer> {
  const body = { prompt: 'Two', project_name: project, select: ['a.txt'], lint: true, review: 'auto' }
  const made = (await ask('POST', '/improve', body)) as JobAnswer
  if (made.id === undefined) throw new Error(JSON.stringify(made))
  return made
}

/** What the linter said. */
async function outputOf(ask: Ask, { id }: JobAnswer): Promise<string> {
  const { data } = (await ask('GET', `/jobs/${id}/transcript`)) as { data: Array<{ kind: string; stdout?: string }> }
  return data.find(({ kind }) => kind === 'command')?.stdout ?? ''
}

const installsAt = async (ask: Ask): Promise<JobAnswer[]> =>
  ((await ask('GET', '/jobs?type=environment&limit=100')) as { data: JobAnswer[] }).data

async function modelFor(t: Test) {
  const model = await startModelServer({ otherwise: EDIT })
  t.teardown(() => model.close())
  return { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' }
}

test('each node installs what its own jobs need, and none fails for where it runs', here, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const below = openFolder(t)
  const repos = join(below, 'repos')
  mkdirSync(repos)
  const env = { ...(await modelFor(t)), ALLOW_LOCAL_REPOS: repos, JOBS_CONCURRENCY: '2' }
  const nodes = await startNodes(t, server, { one: { env, below }, two: { env, below } })
  const asks = nodes.map(asking)
  const [ask = asks[0] as Ask] = asks
  const [first] = nodes
  if (first === undefined) throw new Error('there is no node')
  const repository = createGitRepository(join(repos, 'shop.git'), { files: FILES })
  const projects = ['p1', 'p2', 'p3', 'p4']
  for (const project of projects) {
    await cloneInto(t, first, { url: repository.dir, project_name: project })
    const install = `mkdir deps && echo ${project} > deps/x`
    await ask('PATCH', `/projects/${project}`, { checks: { install, lint: 'cat deps/x' } })
  }
  const lintAll = async () => {
    const made = await Promise.all(projects.map(project => lint(ask, project)))
    const ended = await Promise.all(made.map(job => settled(ask, job)))
    t.same(
      ended.map(({ status, error }) => error?.message ?? status),
      projects.map(() => 'succeeded'),
    )
    t.same(
      await Promise.all(ended.map(job => outputOf(ask, job))),
      projects.map(project => `${project}\n`),
    )
  }

  for (let round = 0; round < 2; round++) await lintAll()
  const installs = await installsAt(ask)
  const wheres = installs.map(({ result }) => `${result?.node} ${result?.key}`)
  t.equal(new Set(wheres).size, wheres.length, 'each node did each at most once')
  for (const other of asks) t.same(await installsAt(other), installs, 'and all nodes tell the same')
  for (const { result, status } of installs) {
    t.equal(status, 'succeeded')
    const folder = join(below, result?.node ?? '', 'data', 'workspaces', '.layers', result?.key ?? '')
    t.ok(existsSync(join(folder, 'workspace', 'deps', 'x')), 'it is where its job says')
  }

  await t.test('an environment that is gone from one node is made there again', async t => {
    for (const { name } of nodes) rmSync(join(below, name, 'data', 'workspaces', '.layers'), { recursive: true })
    await lintAll()
    t.ok((await installsAt(ask)).length > installs.length)
  })

  await t.test('settings that change on one node count on all', async t => {
    for (const project of projects) {
      const install = `mkdir deps && echo new ${project} > deps/x`
      await asks[1]?.('PATCH', `/projects/${project}`, { checks: { install, lint: 'cat deps/x' } })
    }
    const made = await Promise.all(projects.map(project => lint(ask, project)))
    const ended = await Promise.all(made.map(job => settled(ask, job)))
    t.same(
      await Promise.all(ended.map(job => outputOf(ask, job))),
      projects.map(project => `new ${project}\n`),
    )
  })
})

/** Answers the first request never, and all others at once. */
async function stallingOnce(t: Test) {
  const stalled = Promise.withResolvers<undefined>()
  let isFirst = true
  const server = createServer((_request, response) => {
    if (!isFirst) return response.end('made')
    isFirst = false
    return stalled.resolve(undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stalled: stalled.promise }
}

test('a node that is killed while it installs for a job', here, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const below = openFolder(t)
  const { host, stalled } = await stallingOnce(t)
  const repos = join(below, 'repos')
  mkdirSync(repos)
  const DATABASE_URL = await server.createDatabase()
  const env = {
    ...(await modelFor(t)),
    DATABASE_URL,
    CLUSTER_SECRET,
    ALLOW_LOCAL_REPOS: repos,
    ALLOW_PRIVATE_HOSTS: 'true',
    SANDBOX_REGISTRIES: host,
  }
  const start = async (name: string, role: string) => {
    const node = await startServerProcess(join(below, name), { ...env, NODE_NAME: name, ROLE: role }, INLINE_SERVER)
    t.teardown(() => node.end('SIGKILL'))
    return node
  }
  const front = await start('front', 'http')
  const workers = { one: await start('one', 'worker'), two: await start('two', 'worker') }
  const ask = askingAt(front.url)
  const repository = createGitRepository(join(repos, 'shop.git'), { files: FILES })
  const cloned = await ask('POST', '/clone?wait=60', { url: repository.dir, project_name: 'shop' })
  t.match(cloned, { status: 'succeeded' })
  const get = `import urllib.request as u; print(u.urlopen('http://${host}/x').read().decode())`
  const install = `mkdir deps && /usr/bin/python3 -c "${get}" > deps/x`
  await ask('PATCH', '/projects/shop', { checks: { install, lint: 'cat deps/x' } })
  const job = await lint(ask, 'shop')
  await stalled
  const db = openDatabase(databaseSettings(DATABASE_URL), { name: 'test', onError: () => {} })
  t.teardown(() => db.close())
  const { rows } = await db.query("SELECT runs_on FROM jobs WHERE type = 'environment'")
  const killed = rows[0]?.runs_on === 'one' ? 'one' : 'two'
  await workers[killed].end('SIGKILL')

  const ended = await settled(ask, job)
  t.equal(ended.error?.message ?? ended.status, 'succeeded')
  t.equal(await outputOf(ask, ended), 'made\n')
  const other = killed === 'one' ? 'two' : 'one'
  const areOver = async () => (await installsAt(ask)).every(({ status }) => status === 'succeeded')
  await until('end of what the dead node was doing', areOver)
  t.match(
    (await installsAt(ask)).map(({ result }) => result?.node),
    [other, other],
  )
})
