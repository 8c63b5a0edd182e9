import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import type { Job } from '../../../src/core/job.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { openNode } from '../../helpers/cluster/open-node.ts'
import { until, WorkerProcess } from '../../helpers/cluster/worker-process.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../../helpers/postgres.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const PROCESS = fileURLToPath(new URL('../../helpers/embedded-process.ts', import.meta.url))
/** More than are needed. */
const MOST_STARTS = 8

test('a job that ends its process each time fails, and the others succeed', async t => {
  const root = testFolder(t)
  const signals: unknown[] = []
  let said = ''
  while (signals.at(-1) !== null && signals.length < MOST_STARTS) {
    const child = spawn(process.execPath, [PROCESS, root], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [output, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    said = output
    signals.push(signal)
  }
  t.same(signals, ['SIGKILL', 'SIGKILL', 'SIGKILL', null])
  const jobs = JSON.parse(said) as Job[]
  t.match(
    jobs.map(({ type, status, error }) => ({ type, status, error })),
    [
      { type: 'improve', status: 'succeeded', error: null },
      {
        type: 'generate',
        status: 'failed',
        error: { code: 'WORKER_LOST', step: 'explode', message: /3 processes .* in its step explode/, fix: /retry/ },
      },
      { type: 'improve', status: 'succeeded', error: null },
    ],
  )
})

test('among several workers', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const url = await server.createDatabase()
  const root = testFolder(t)
  const definitions = { clone: scriptedJob(async (_context: JobContext) => null) }
  const { jobs, db, close } = await openNode({ url, name: 'front', root, definitions, isWorker: false })
  const workers = ['one', 'two'].map(name => new WorkerProcess({ url, name, root, concurrency: 2 }))
  t.teardown(async () => {
    await Promise.all(workers.map(worker => worker.end()))
    await close()
  })
  const start = () => Promise.all(workers.map(worker => worker.start()))
  const lostBy = async (id: string) => (await db.query('SELECT lost_attempts FROM jobs WHERE id = $1', [id])).rows
  const notes = () => workers.flatMap(worker => worker.notes())
  /** What an error tells of a job that does not go on. */
  const stateOf = (id: string) => async () => ({
    rows: (
      await db.query(
        `SELECT status, attempt, node, updated_at, now(), entry.id, state, start_after, heartbeat_on, singleton_key
         FROM jobs LEFT JOIN faultline_queue.job AS entry ON (data->>'seq')::bigint = seq WHERE jobs.id = $1`,
        [id],
      )
    ).rows,
    notes: notes().slice(-20),
  })
  const begins = (id: string) => notes().filter(({ kind, job }) => kind === 'begin' && job === id)

  await t.test('a job that ends its workers fails after three', async t => {
    await start()
    const { id } = (await jobs.create('clone', { steps: 3, kill_in: 2 })).job
    const job = await until('end of the job', async () => {
      for (const worker of workers) if (worker.hasEnded) await worker.start()
      const { status, error } = await jobs.get(id)
      return status === 'failed' ? { status, error } : null
    })
    t.match(job, { status: 'failed', error: { code: 'WORKER_LOST', step: 'step-2' } })
    t.equal(begins(id).length, 3)
    const steps = await db.query('SELECT name FROM job_steps JOIN jobs ON seq = job_seq WHERE id = $1', [id])
    t.same(steps.rows, [{ name: 'step-1' }], 'what was done before stays')
  })

  await t.test('workers that end as they should, or stand still, are not counted', async t => {
    const { id } = (await jobs.create('clone', { steps: 1, hang_on: 'one', hang_in: 1 })).job
    const [one, two] = workers
    if (one === undefined || two === undefined) throw new Error('there are no workers')
    await two.end('SIGTERM')
    for (let stops = 0; stops < 4; stops++) {
      await until(`run ${stops}`, () => begins(id).length > stops, 60_000, stateOf(id))
      await one.end('SIGTERM')
      await one.start()
    }
    t.same(await lostBy(id), [{ lost_attempts: [] }])
    await until('last run', () => begins(id).length > 4, 60_000, stateOf(id))
    one.kill('SIGSTOP')
    await two.start()
    t.match(await jobs.settled(id, 60_000), { status: 'succeeded' })

    const other = (await jobs.create('clone', { steps: 1, hang_on: 'two', hang_in: 1 })).job.id
    await until('run of the other', () => begins(other).length > 0, 60_000, stateOf(other))
    one.kill('SIGCONT')
    two.kill('SIGSTOP')
    const isDone = async () => (await jobs.get(other)).status === 'succeeded'
    await until('its end elsewhere', isDone, 60_000, stateOf(other))
    two.kill('SIGCONT')
    t.same(await lostBy(other), [{ lost_attempts: [] }])
  })
})
