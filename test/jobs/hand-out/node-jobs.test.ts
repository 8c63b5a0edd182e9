import t, { type Test } from 'tap'
import type { JsonObject } from '../../../src/core/job.ts'
import { openNode } from '../../helpers/cluster/open-node.ts'
import { until, WorkerProcess, type WorkerNote } from '../../helpers/cluster/worker-process.ts'
import { noPostgres, POSTGRES_VERSIONS, startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { installJob, scriptedJob } from '../../helpers/scripted-job.ts'
import { testFolder } from '../../helpers/test-folder.ts'

/** Two workers in processes of their own, and a node that makes jobs. */
async function openWorkers(t: Test, server: TestPostgres) {
  const url = await server.createDatabase()
  const root = testFolder(t)
  const never = async () => null
  const definitions = { clone: scriptedJob(never), environment: installJob(never) }
  const { jobs, db, close } = await openNode({ url, name: 'front', root, definitions, isWorker: false })
  const workers = ['one', 'two'].map(name => new WorkerProcess({ url, name, root, concurrency: 2 }))
  t.teardown(async () => {
    await Promise.all(workers.map(worker => worker.end()))
    await close()
  })
  await Promise.all(workers.map(worker => worker.start()))
  const notes = (): WorkerNote[] => workers.flatMap(worker => worker.notes())
  return {
    jobs,
    db,
    workers,
    notes,
    install: async (input: JsonObject) => (await jobs.create('environment', input)).job.id,
    ended: async (id: string) => (await jobs.settled(id, 60_000)).result,
    workerOf: (id: string) => until(`run of ${id}`, () => notes().find(({ job }) => job === id)?.worker),
    /** Says in the table of nodes which are alive. */
    async see(...names: string[]) {
      await db.query('DELETE FROM nodes')
      await db.query(
        `INSERT INTO nodes (name, instance, roles, version, schema_version, load)
         SELECT name, gen_random_uuid(), '{worker}', '', 1, '{}' FROM unnest($1::text[]) AS named (name)`,
        [names],
      )
    },
    /** Lets what waits for a node have waited for long. */
    age: () => db.query("UPDATE faultline_queue.job SET created_on = created_on - interval '1 minute'"),
  }
}

for (const version of POSTGRES_VERSIONS) {
  t.test(`PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version)
    t.teardown(() => server.close())

    t.test('a job that one node alone can do runs on that one, one at a time', async t => {
      const { install, ended, notes, see } = await openWorkers(t, server)
      await see('one', 'two')
      const wanted = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 'one' : 'two'))
      const ids = await Promise.all(wanted.map((node, i) => install({ node, ms: 20, project_name: `p${i % 3}` })))
      const anywhere = await Promise.all(Array.from({ length: 4 }, () => install({ ms: 20 })))
      const results = await Promise.all(ids.map(ended))
      t.same(
        results.map(result => (result as JsonObject).worker),
        wanted,
      )
      for (const result of await Promise.all(anywhere.map(ended))) t.match(result, { worker: /one|two/ })
      for (const worker of ['one', 'two']) {
        const own = notes().filter(note => note.worker === worker && ['begin', 'end'].includes(note.kind))
        t.same(
          own.map(({ kind }) => kind),
          own.map((_, i) => (i % 2 === 0 ? 'begin' : 'end')),
          'whether it had to be this one or not',
        )
      }
    })

    t.test('what waits for a node that is gone is done by another, and so is what it was doing', async t => {
      const { workers, install, ended, workerOf, see, age, db } = await openWorkers(t, server)
      await see('one', 'two')
      const running = await install({ node: 'one', hang_on: 'one', hang_in: 1 })
      t.equal(await workerOf(running), 'one')
      const waiting = await install({ node: 'one' })
      await workers[0]?.end()
      await age()
      await see('two')
      t.match(await ended(waiting), { worker: 'two' })
      t.match(await ended(running), { worker: 'two' })
      const { rows } = await db.query('SELECT runs_on FROM jobs')
      t.same(rows, [{ runs_on: null }, { runs_on: null }])
    })

    t.test('a node that has no queue, or has none any more, is none to wait for', async t => {
      const { install, ended, see, db } = await openWorkers(t, server)
      await see('one', 'two')
      t.match(await ended(await install({ node: 'nobody' })), { worker: /one|two/ })
      const queues = async () =>
        (await db.query("SELECT name FROM faultline_queue.queue WHERE name ~ '^beside_' ORDER BY name")).rows
      t.same(await queues(), [{ name: 'beside_one' }, { name: 'beside_two' }])
      await db.query(
        "UPDATE faultline_queue.queue SET updated_on = now() - interval '2 days' WHERE name = 'beside_one'",
      )
      await see('two')
      await until('end of the queue', async () => (await queues()).length === 1)
      t.match(await ended(await install({ node: 'one' })), { worker: /one|two/ })
    })

    t.test('a job that waits for its node can be cancelled, and answers with its place', async t => {
      const { jobs, install, workerOf, see, db } = await openWorkers(t, server)
      await see('one', 'two')
      const running = await install({ node: 'one', hang_on: 'one', hang_in: 1 })
      await workerOf(running)
      const waiting = await install({ node: 'one' })
      t.match(await jobs.get(waiting), { status: 'queued', queuePosition: 0 })
      t.match(await jobs.cancel(waiting), { status: 'cancelled' })
      t.match(await jobs.cancel(running), { status: 'cancelled' })
      await until('empty queue', async () => {
        const { count } = await db.query("SELECT FROM faultline_queue.job WHERE state <= 'active'")
        return count === 0
      })
    })
  })
}
