import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { cloneInto } from '../helpers/build-app.ts'
import { startNodes, type TestNode } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

interface Answer {
  suspects_status: string
  suspect_commits: Array<{ commit: string }>
  commit: string
}

async function resolveAt({ app }: TestNode, more: object = {}): Promise<{ status: number; answer: Answer }> {
  const res = await app.inject({
    method: 'POST',
    url: '/resolve',
    payload: { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context', ...more },
  })
  return { status: res.statusCode, answer: res.json<Answer>() }
}

/** The shop with two commits, as a worker indexed it, and a node that has no clone of it. */
async function openShop(t: Test): Promise<{ http: TestNode; first: string }> {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const repos = t.testdir()
  const env = { ALLOW_LOCAL_REPOS: repos }
  const [http] = await startNodes(t, server, {
    http: { env: { ...env, ROLE: 'http' } },
    worker: { env: { ...env, ROLE: 'worker' } },
  })
  if (http === undefined) throw new Error('no node')
  const shop = createShop(join(repos, 'shop.git'))
  const first = shop.git('rev-parse', 'main')
  shop.commit({ 'src/shop/new.py': 'def new():\n    return 1\n' })
  await cloneInto(t, http, { url: shop.dir, project_name: 'shop' })
  t.notOk(existsSync(join(http.root, 'cloned_repos', 'shop')), 'this node has no clone')
  return { http, first }
}

test('a node that runs no jobs says who changed what', { skip: noPostgres(ANY_VERSION) }, async t => {
  const { http, first } = await openShop(t)
  const suspects = async (): Promise<Answer> => (await resolveAt(http)).answer
  t.ok(await eventually(async () => (await suspects()).suspects_status === 'ok'), 'once the history is there')
  t.match((await suspects()).suspect_commits, [{ commit: first }])
})

test('a worker to which a job brought the clone says who changed what', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const env = { ALLOW_LOCAL_REPOS: t.testdir() }
  const [http, ...workers] = await startNodes(t, server, {
    http: { env: { ...env, ROLE: 'http' } },
    one: { env: { ...env, ROLE: 'worker' } },
    other: { env: { ...env, ROLE: 'worker' } },
  })
  if (http === undefined) throw new Error('no node')
  const shop = createShop(join(env.ALLOW_LOCAL_REPOS, 'shop.git'))
  const first = shop.git('rev-parse', 'main')
  shop.commit({ 'src/shop/new.py': 'def new():\n    return 1\n' })
  await cloneInto(t, http, { url: shop.dir, project_name: 'shop' })
  await workers.find(({ root }) => existsSync(join(root, 'cloned_repos', 'shop')))?.close()

  async function suspects(): Promise<Answer> {
    const made = await http?.app.inject({
      method: 'POST',
      url: '/resolve',
      headers: { prefer: 'respond-async' },
      payload: { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' },
    })
    let job = made?.json<{ id: string; status: string; result: Answer[] }>()
    while (job?.status === 'queued' || job?.status === 'running') {
      job = (await http?.app.inject(`/jobs/${job.id}?wait=60`))?.json()
    }
    const [answer] = job?.result ?? []
    if (answer === undefined) throw new Error(`no answer in ${JSON.stringify(job)}`)
    return answer
  }
  t.ok(await eventually(async () => (await suspects()).suspects_status === 'ok'), 'once the history is there')
  t.match((await suspects()).suspect_commits, [{ commit: first }])
})

test(
  'a node that runs no jobs answers with the code of an earlier commit',
  { skip: noPostgres(ANY_VERSION) },
  async t => {
    const { http, first } = await openShop(t)
    const { status, answer } = await resolveAt(http, { ref: first })
    t.equal(status, 200)
    t.equal(answer.commit, first)
  },
)
