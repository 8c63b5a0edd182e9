import t, { type Test } from 'tap'
import type { JsonObject } from '../../../src/core/job.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { openNode } from '../../helpers/cluster/open-node.ts'
import { until, WorkerProcess, type WorkerNote } from '../../helpers/cluster/worker-process.ts'
import { noPostgres, POSTGRES_VERSIONS, startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { testFolder } from '../../helpers/test-folder.ts'

/** A database with a node that answers requests, and workers in processes of their own. */
async function openTestCluster(t: Test, server: TestPostgres, names: readonly string[], concurrency = 3) {
  const url = await server.createDatabase()
  const root = testFolder(t)
  const never = scriptedJob(async (_context: JobContext) => null)
  const definitions = { clone: never, environment: { ...never, isBeside: true } }
  const node = await openNode({ url, name: 'front', root, definitions, isWorker: false })
  const workers = Object.fromEntries(names.map(name => [name, new WorkerProcess({ url, name, root, concurrency })]))
  const notes = () => Object.values(workers).flatMap(worker => worker.notes())
  t.teardown(async () => {
    await Promise.all(Object.values(workers).map(worker => worker.end()))
    await node.close()
    for (const { kind, worker, message } of notes()) if (kind === 'error') t.comment(`${worker}: ${message}`)
  })
  const create = async (input: JsonObject) => (await node.jobs.create('clone', input)).job
  return {
    ...node,
    workers,
    create,
    notes,
    worker(name: string): WorkerProcess {
      const found = workers[name]
      if (found === undefined) throw new Error(`no worker ${name}`)
      return found
    },
    /** Resolves when a worker came to a step of the job. */
    atStep: (job: string, step: number, worker?: string) =>
      until(`step ${step} of ${job}`, () =>
        notes().find(note => {
          const isAt = note.kind === 'step' && note.job === job && note.step === step
          return isAt && (worker === undefined || note.worker === worker)
        }),
      ),
    /** The outputs of the steps, and the events, of a job. */
    async story(id: string) {
      const { rows } = await node.db.query(
        `SELECT name, output FROM job_steps JOIN jobs ON seq = job_seq WHERE id = $1 ORDER BY position`,
        [id],
      )
      const steps = rows.map(row => {
        const { worker } = JSON.parse(String(row.output)) as JsonObject
        return { name: row.name, worker }
      })
      return { steps, events: await node.jobs.events(id, 0) }
    },
  }
}

type Story = Awaited<ReturnType<Awaited<ReturnType<typeof openTestCluster>>['story']>>

/** Each step once, events without gaps, and the end as the last one. */
function checkStory(t: Test, { steps, events }: Story, names: readonly string[]): void {
  t.same(
    steps.map(({ name }) => name),
    names,
  )
  t.same(
    events.map(({ id }) => id),
    events.map((_event, i) => i + 1),
    'events are numbered without gaps',
  )
  const finished = events.filter(({ event }) => event === 'step').map(({ data }) => (data as JsonObject).step)
  t.same(finished, names, 'each step was told once')
  t.same(
    events.filter(({ event }) => event === 'done').map(({ id }) => id),
    [events.length],
    'one end, after all else',
  )
}

const byEnd =
  (worker: string) =>
  (note: WorkerNote): boolean =>
    note.worker === worker && note.kind === 'end'

const THREE = ['step-1', 'step-2', 'step-3']

for (const version of POSTGRES_VERSIONS) {
  t.test(`PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version, { durable: true })
    t.teardown(() => server.close())

    await t.test('a worker that was killed in a step: another one goes on, and no step is done twice', async t => {
      const { worker, create, atStep, jobs, story } = await openTestCluster(t, server, ['a', 'b'])
      await worker('a').start()
      const made = await Promise.all([1, 2, 3].map(hang => create({ steps: 3, hang_on: 'a', hang_in: hang })))
      for (const [i, { id }] of made.entries()) await atStep(id, i + 1, 'a')
      await worker('b').start()
      const killedAt = performance.now()
      await worker('a').end('SIGKILL')
      for (const [i, { id }] of made.entries()) {
        t.match(await jobs.settled(id, 30_000), { status: 'succeeded', result: { worker: 'b' } })
        const told = await story(id)
        checkStory(t, told, THREE)
        t.same(
          told.steps.map(step => step.worker),
          THREE.map((_name, at) => (at < i ? 'a' : 'b')),
        )
        t.match(
          told.events.filter(({ event }) => event === 'status').map(({ data }) => (data as JsonObject).status),
          ['queued', 'running', 'queued', 'running', 'succeeded'],
        )
      }
      t.comment(`went on ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the kill`)
    })

    await t.test('a worker that was stopped and wakes up changes nothing', async t => {
      const { worker, create, atStep, jobs, story, notes } = await openTestCluster(t, server, ['a', 'b'])
      await worker('a').start()
      const ended = await create({ steps: 3, ms: 2_000 })
      const same = await create({ steps: 3, ms: 2_000, hang_on: 'b', hang_in: 1 })
      const later = await create({ steps: 3, ms: 2_000, hang_on: 'b', hang_in: 2 })
      for (const { id } of [ended, same, later]) await atStep(id, 1, 'a')
      worker('a').kill('SIGSTOP')
      await worker('b').start()
      t.match(await jobs.settled(ended.id, 40_000), { status: 'succeeded', result: { worker: 'b' } })
      await atStep(same.id, 1, 'b')
      await atStep(later.id, 2, 'b')
      worker('a').kill('SIGCONT')
      // its bodies are over when it has seen that the jobs are another worker's
      await until('end of the runs of a', () => notes().filter(byEnd('a')).length === 3)
      for (const { id } of [same, later]) t.match(await jobs.get(id), { status: 'running' })
      await worker('b').end('SIGTERM') // its jobs go to the one that woke up
      for (const { id } of [ended, same, later]) {
        t.match(await jobs.settled(id, 30_000), { status: 'succeeded' })
        checkStory(t, await story(id), THREE)
      }
      t.same(
        (await story(ended.id)).steps.map(step => step.worker),
        ['b', 'b', 'b'],
      )
      t.equal((await story(later.id)).steps[0]?.worker, 'b')
    })

    await t.test('a job is cancelled on another node, and its key is free when its body has ended', async t => {
      const { worker, create, atStep, jobs, story, notes } = await openTestCluster(t, server, ['a', 'b'])
      await worker('a').start()
      const first = await create({ exclusive: 'k', hang_on: 'a', hang_in: 1 })
      await atStep(first.id, 1, 'a')
      await worker('b').start()
      const second = await create({ exclusive: 'k' })
      const queued = await create({ exclusive: 'k' })
      t.match(await jobs.get(queued.id), { status: 'queued', queuePosition: 1 })
      await jobs.cancel(queued.id)
      await jobs.cancel(first.id)
      t.match(await jobs.settled(second.id, 30_000), { status: 'succeeded' })
      const over = notes().find(note => note.kind === 'end' && note.job === first.id)
      const begun = notes().find(note => note.kind === 'begin' && note.job === second.id)
      t.ok(over !== undefined && begun !== undefined && over.at <= begun.at, 'not beside the body of the first')
      t.same(
        (await story(first.id)).events.slice(-2).map(({ event }) => event),
        ['status', 'done'],
      )
      t.notOk(notes().some(note => note.job === queued.id))
    })

    await t.test('jobs of one key never overlap on three workers', async t => {
      const { workers, create, jobs, notes } = await openTestCluster(t, server, ['a', 'b', 'c'])
      await Promise.all(Object.values(workers).map(worker => worker.start()))
      const made = await Array.fromAsync({ length: 200 }, (_, i: number) =>
        create({ exclusive: `key-${i % 7}`, project_name: `p${i % 5}`, ms: 5 }),
      )
      for (const { id } of made) await jobs.settled(id, 60_000)
      const keyOf = new Map(made.map(({ id }, i) => [id, i % 7]))
      const all = notes()
      const spans = made.map(({ id }) => {
        const [begin, end] = (['begin', 'end'] as const).map(kind => all.filter(n => n.kind === kind && n.job === id))
        t.equal(begin?.length, 1, 'each ran once')
        return { key: keyOf.get(id), from: begin?.[0]?.at ?? 0, to: end?.[0]?.at ?? 0 }
      })
      spans.sort((a, b) => a.from - b.from)
      for (const key of keyOf.values()) {
        const own = spans.filter(span => span.key === key)
        const overlaps = own.filter((span, i) => i > 0 && span.from < (own[i - 1]?.to ?? 0))
        if (overlaps.length > 0) t.fail(`${overlaps.length} of key ${key} overlapped`)
      }
      t.equal(new Set(all.filter(({ kind }) => kind === 'begin').map(({ worker }) => worker)).size, 3, 'all took part')
    })

    await t.test('a project with a long backlog holds up none with a short one', async t => {
      const { worker, create, jobs, notes } = await openTestCluster(t, server, ['a'], 1)
      const big = await Array.fromAsync({ length: 60 }, () => create({ project_name: 'big' }))
      const small = [await create({ project_name: 'small' }), await create({ project_name: 'small' })]
      t.same(
        await Promise.all(small.map(async ({ id }) => (await jobs.get(id)).queuePosition)),
        [2, 4],
        'its turn, not its age',
      )
      await worker('a').start()
      for (const { id } of [...big, ...small]) await jobs.settled(id, 60_000)
      const order = notes()
        .filter(({ kind }) => kind === 'begin')
        .map(({ job }) => job)
      for (const { id } of small) t.ok(order.indexOf(id) < 6, `number ${order.indexOf(id)}`)
    })

    await t.test('a worker that is to end hands its jobs over at once', async t => {
      const { worker, create, atStep, jobs, story } = await openTestCluster(t, server, ['a', 'b'])
      await worker('a').start()
      const { id } = await create({ steps: 3, exclusive: 'k', hang_on: 'a', hang_in: 2 })
      await atStep(id, 2, 'a')
      await worker('b').start()
      const beganAt = performance.now()
      t.equal(await worker('a').end('SIGTERM'), 0)
      t.match(await jobs.settled(id, 30_000), { status: 'succeeded', result: { worker: 'b' } })
      t.ok(performance.now() - beganAt < 9_000, 'without waiting for a sign of life')
      checkStory(t, await story(id), THREE)
    })

    await t.test('jobs that lost their entry get one when a node starts', async t => {
      const { worker, create, jobs, db } = await openTestCluster(t, server, ['a'])
      const made = await Array.fromAsync({ length: 3 }, () => create({}))
      t.equal((await db.query('DELETE FROM faultline_queue.job')).count, 3)
      await worker('a').start()
      for (const { id } of made) t.match(await jobs.settled(id, 30_000), { status: 'succeeded' })
    })

    await t.test('jobs beside run beside those that count', async t => {
      const { worker, create, atStep, jobs } = await openTestCluster(t, server, ['a'], 1)
      await worker('a').start()
      const { id } = await create({ hang_on: 'a', hang_in: 1 })
      await atStep(id, 1)
      const beside = (await jobs.create('environment', {})).job
      t.match(await jobs.settled(beside.id, 30_000), { status: 'succeeded' })
      t.match(await jobs.get(id), { status: 'running' })
    })

    await t.test('the database is killed in the middle of a step: nothing is lost and nobody is needed', async t => {
      const { worker, create, atStep, jobs, story } = await openTestCluster(t, server, ['a', 'b'])
      await worker('a').start()
      await worker('b').start()
      const made = await Promise.all([1, 2, 3, 4].map(() => create({ steps: 3, ms: 1_500 })))
      for (const { id } of made) await atStep(id, 2)
      await server.crash()
      await server.start()
      for (const { id } of made) {
        const settled = await until('end', async () => {
          const job = await jobs.settled(id, 30_000).catch(() => null) // away
          return job?.status === 'succeeded' ? job : null
        })
        t.match(settled, { status: 'succeeded' })
        checkStory(t, await story(id), THREE)
      }
    })
  })
}
