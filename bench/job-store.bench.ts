// What the tables of jobs take: small jobs (create, claim, three steps, end) a second, by one and by four at a time,
// and lists over many jobs.
// usage: node bench/job-store.bench.ts [--database URL] [--jobs N] [--listed N]
// Without a database: the file of a single server. The schema `faultline_bench` of the database is made and dropped.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { NewJob, JobStore } from '../src/jobs/store/job-store.ts'
import { PostgresJobStore } from '../src/jobs/store/postgres/postgres-job-store.ts'
import { openJobsDatabase } from '../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../src/jobs/store/sqlite/sqlite-job-store.ts'
import { migrate } from '../src/postgres/migrate.ts'
import { openDatabase } from '../src/postgres/pool.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    jobs: { type: 'string', default: '500' },
    listed: { type: 'string', default: '100000' },
  },
})
const [JOBS, LISTED] = [Number(values.jobs), Number(values.listed)]
const SCHEMA = 'faultline_bench'
const ROOM = { limit: 10_000, retryAfterS: () => 1 }

const newJob = (projectName: string): NewJob => ({
  id: randomUUID(),
  type: 'resolve',
  input: { stacktrace: 'x'.repeat(2_000) },
  projectName,
  exclusiveKey: null,
  keyName: null,
})

async function runOne(store: JobStore): Promise<void> {
  const { job } = await store.create(newJob('shop'), ROOM)
  const run = await store.claim(job.seq)
  if (run === null) throw new Error('the job is not queued')
  for (const step of ['a', 'b', 'c']) await store.steps.finish(run, step, { step })
  await store.endRun(run, 'succeeded', { result: { done: true } })
}

async function measureRuns(store: JobStore, atOnce: number): Promise<void> {
  const started = performance.now()
  let left = JOBS
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await runOne(store)
    }),
  )
  const seconds = (performance.now() - started) / 1_000
  console.log(`${atOnce} at a time: ${(JOBS / seconds).toFixed(0)} jobs a second`)
}

async function median(name: string, ask: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < 9; i++) {
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  console.log(`${name}: ${times[4]?.toFixed(1)} ms`)
}

async function measureLists(store: JobStore): Promise<void> {
  await median('list, newest', () => store.list({}, 50, null))
  await median('list, from the middle on', () => store.list({}, 50, LISTED / 2))
  await median('list of a rare project', () => store.list({ projectName: 'RARE' }, 50, null))
  await median('list of a rare type', () => store.list({ type: 'bisect' }, 50, null))
  await median('list, failed', () => store.list({ status: 'failed' }, 50, null))
  await median('list, running', () => store.list({ status: 'running' }, 50, null))
  const visibleTo = { projects: ['rare', 'shop'], keyName: 'ada' }
  await median('list of who sees two projects', () => store.list({ visibleTo }, 50, null))
  await median('counts', () => store.counts())
  await median('used bytes', () => store.retention.usedBytes())
  await median('version of the queue', () => store.queueVersion())
  await median('create', () => store.create(newJob('other'), ROOM))
}

async function overFile(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'faultline-job-store-'))
  const db = openJobsDatabase(join(root, 'jobs.sqlite'))
  const store = new SqliteJobStore(db)
  for (const atOnce of [1, 4]) await measureRuns(store, atOnce)
  db.close()
  rmSync(root, { recursive: true })
}

async function overDatabase(url: string): Promise<void> {
  const settings = { url, readUrl: null, schema: SCHEMA, poolSize: 4, connectTimeoutMs: 10_000 }
  const db = openDatabase(
    { ...settings, statementTimeoutMs: 120_000, migratesAtStart: true },
    { name: 'bench', onError() {} },
  )
  await migrate(db, SCHEMA)
  const store = new PostgresJobStore(db)
  for (const atOnce of [1, 4]) await measureRuns(store, atOnce)
  await db.query(
    `INSERT INTO jobs (id, type, status, project_name, key_name, trust, input, usage, notify, created_at, updated_at,
       ended_at, last_event)
     SELECT gen_random_uuid()::text, CASE WHEN n % 20000 = 0 THEN 'bisect' ELSE 'resolve' END,
       CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'succeeded' END,
       CASE WHEN n % 10000 = 0 THEN 'rare' ELSE 'project-' || n % 300 END, 'ben', 'trusted',
       '{"stacktrace":"' || repeat('x', 500) || '"}', '{}', '{}', now(), now(), now(), 5
     FROM generate_series(1, $1::int) AS n`,
    [LISTED],
  )
  await db.query('ANALYZE jobs')
  await measureLists(store)
  await db.query(`DROP SCHEMA ${SCHEMA} CASCADE`)
  await db.close()
}

if (values.database === undefined) await overFile()
else await overDatabase(values.database)
