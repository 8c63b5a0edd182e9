import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { buildApp, cloneInto, type TestApp } from '../helpers/build-app.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { noPostgres, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'
import { moveConfig, moveNow, PAINTING, tellAll, workOnSingleMachine } from '../helpers/single-machine.ts'
import { testFolder } from '../helpers/test-folder.ts'

type Single = Awaited<ReturnType<typeof workOnSingleMachine>>

/** What the jobs change that are left. */
const withoutLists = ({ '/jobs?limit=100': _jobs, ...told }: Record<string, unknown>) => told

const branchAt = (root: string, branch: string): string =>
  execFileSync('git', [`--git-dir=${join(root, 'cloned_repos/shop')}`, 'rev-parse', branch])
    .toString()
    .trim()

/** Leaves jobs as a killed server does: one that runs, one that is queued. */
async function leaveJobs(root: string): Promise<string[]> {
  using db = openJobsDatabase(join(root, 'data', 'jobs.sqlite'))
  const store = new SqliteJobStore(db)
  const ids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  for (const id of ids) {
    const job = { id, type: 'task' as const, projectName: null, exclusiveKey: null, keyName: null, input: { id } }
    const made = await store.create(job, { limit: 100, retryAfterS: () => 1 })
    if (id === ids[0]) await store.claim(made.job.seq)
  }
  return ids
}

/** Goes on with what was left, on a node. */
async function workOn(t: Test, node: TestApp, single: Single, left: readonly string[]): Promise<void> {
  const { app, services, root } = node
  for (const id of left) t.match(await services.jobs.settled(id, 30_000), { status: 'succeeded' })
  const answer = { answer: 'blue' }
  const reply = await app.inject({ method: 'POST', url: `/jobs/${single.waiting}/reply?wait=30`, body: answer })
  t.match(reply.json(), { status: 'succeeded', result: { reply: answer } })
  t.match((await app.inject(`/jobs/${single.waiting}/files/a.txt`)).body, /^painted .*blue/)
  const next = await services.jobs.create('task', { description: 'Another one', project_name: 'other' })
  t.match(await services.jobs.settled(next.job.id, 30_000), { status: 'succeeded' })
  t.match((await app.inject('/tasks')).json(), { data: [{ number: 2 }, { number: 1 }] }, 'numbers go on')
  t.equal(branchAt(root, single.branch), single.commit, 'the job had the clone with its branch')
}

for (const version of POSTGRES_VERSIONS) {
  t.test(
    `a single machine is moved to a cluster and back, PostgreSQL ${version}`,
    { skip: noPostgres(version) },
    async t => {
      const server = await startPostgres(version)
      t.teardown(() => server.close())
      const top = testFolder(t)
      const databaseUrl = await server.createDatabase()
      const single = await workOnSingleMachine(t, join(top, 'single'))
      const left = await leaveJobs(single.root)
      const env = { ALLOW_LOCAL_REPOS: single.reposDir }
      const config = moveConfig(single.root, databaseUrl, env)

      t.match(await moveNow(config, 'to_cluster', { checkOnly: true }), { outcome: 'possible', obstacles: [] })
      const there = await moveNow(config, 'to_cluster')
      t.match(there, { outcome: 'moved', isContinued: false, obstacles: [] }, JSON.stringify(there))

      const node = await buildApp(t, {
        root: join(top, 'node'),
        definitions: PAINTING,
        env: { ...env, DATABASE_URL: databaseUrl, NODE_NAME: 'one', CLUSTER_SECRET },
      })
      t.same(withoutLists(await tellAll(node, single)), withoutLists(single.told))
      await workOn(t, node, single, left)
      const told = await tellAll(node, single)
      await node.close()

      mkdirSync(join(top, 'back'))
      const back = await moveNow(moveConfig(join(top, 'back'), databaseUrl, env), 'from_cluster')
      t.match(back, { outcome: 'moved', obstacles: [] }, JSON.stringify(back))
      t.equal(branchAt(join(top, 'back'), single.branch), single.commit)
      const again = await buildApp(t, { root: join(top, 'back'), definitions: PAINTING, env })
      t.same(await tellAll(again, single), told)
      t.match((await again.app.inject(`/jobs/${single.waiting}`)).json(), { status: 'succeeded' })
      await cloneInto(t, again, { url: join(single.reposDir, 'shop.git'), project_name: 'other' })
      t.equal(branchAt(join(top, 'back'), single.branch), single.commit, 'a new clone job keeps it')
      await again.close()
    },
  )
}
