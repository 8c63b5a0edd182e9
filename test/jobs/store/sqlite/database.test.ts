import { randomUUID } from 'node:crypto'
import { chmodSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { test } from 'tap'
import { openJobsDatabase, overwriting } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import type { JsonObject } from '../../../../src/core/job.ts'
import type { NewJob } from '../../../../src/jobs/store/job-store.ts'
import { DAMAGES } from '../../../helpers/damage.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

const QUEUE = { limit: 10, retryAfterS: () => 1 }
const QUEUE_OF_MANY = { ...QUEUE, limit: 100 }
const newJob = (input: JsonObject): NewJob => ({
  id: randomUUID(),
  type: 'clone',
  input,
  projectName: null,
  exclusiveKey: null,
  keyName: null,
})

test(
  'a database of an earlier format is brought up to date with its jobs, one of a later format is ' + 'refused',
  async t => {
    const file = join(testFolder(t), 'jobs.sqlite')
    const first = openJobsDatabase(file)
    const { job } = await new SqliteJobStore(first).create(newJob({ url: 'a' }), QUEUE)
    const names = ['asked', 'waiting_since', 'active_ms', 'redactions', 'last_step', 'failure', 'request_id', 'notify']
    const later = [...names, 'losses', 'has_begun'].map(column => `ALTER TABLE jobs DROP COLUMN ${column};`).join('')
    first.exec(
      `DROP TABLE job_inputs; DROP TABLE job_files; DROP TABLE job_texts; DROP TABLE job_transcript; ${later} ` +
        'DROP TABLE resolution_feedback; DROP TABLE resolution_fingerprints; DROP TABLE resolutions; DROP TABLE audit; ' +
        'DROP TABLE ci_runs; DROP TABLE task_logs; DROP TABLE tasks; DROP TABLE features; DROP TABLE notifications; DROP TABLE sessions; ' +
        'PRAGMA user_version = 1',
    ) // what the first format lacks
    first.close()

    const second = openJobsDatabase(file)
    const store = new SqliteJobStore(second)
    t.same(await store.input(job.seq), { url: 'a' })
    const large = { url: 'b', log: '✓'.repeat(100_000) }
    t.same(await store.input((await store.create(newJob(large), QUEUE)).job.seq), large)
    second.exec('PRAGMA user_version = 99')
    second.close()
    t.throws(() => openJobsDatabase(file), /has format 99/)
    const untouched = new DatabaseSync(file)
    t.equal(untouched.prepare('PRAGMA user_version').get()?.user_version, 99)
    untouched.close()
  },
)

test('only the owner may read a database, also one that others could read before', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  openJobsDatabase(file).close()
  t.equal(statSync(file).mode & 0o777, 0o600, 'a new one')
  chmodSync(file, 0o644)
  openJobsDatabase(file).close()
  t.equal(statSync(file).mode & 0o777, 0o600)
})

test('a database of the present format opens again with its jobs', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  const first = openJobsDatabase(file)
  const { job } = await new SqliteJobStore(first).create(newJob({ url: 'a' }), QUEUE)
  first.close()
  const second = openJobsDatabase(file)
  t.teardown(() => second.close())
  t.match(await new SqliteJobStore(second).find(job.id), { id: job.id, status: 'queued' })
})

test('a file that is no job database, or half of one, is named with the way out', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  const fill = async () => {
    const db = openJobsDatabase(file)
    const store = new SqliteJobStore(db)
    for (let i = 0; i < 20; i++) await store.create(newJob({ url: 'x'.repeat(5_000) }), QUEUE_OF_MANY)
    db.close()
  }
  const broken = { code: 'DATA_DAMAGED', message: /^The job database .*\.$/, fix: /put back a copy/ }
  for (const how of ['cut in half', 'random bytes', 'a folder', 'unreadable'] as const) {
    rmSync(file, { recursive: true, force: true })
    await fill()
    DAMAGES[how](file)
    t.throws(() => openJobsDatabase(file), broken, how)
  }
  rmSync(file, { recursive: true })
  await fill()
  truncateSync(file, statSync(file).size - 4096)
  t.throws(() => openJobsDatabase(file), broken, 'the last page is missing')
  rmSync(file)
  t.doesNotThrow(() => openJobsDatabase(file).close())
})

test('a row that holds no JSON is damage, not a bug', async t => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db)
  const { job } = await store.create(newJob({}), QUEUE)
  db.exec("UPDATE jobs SET usage = '{\"llm'")
  await t.rejects(store.find(job.id), { code: 'DATA_DAMAGED', message: /else than JSON/ })
})

test('what is overwritten stands in no file of the database any more', async t => {
  const file = join(t.testdir(), 'jobs.sqlite')
  using db = openJobsDatabase(file)
  db.exec('CREATE TABLE logs (log TEXT)')
  db.prepare('INSERT INTO logs VALUES (?)').run('a token that nobody should find '.repeat(1_000))
  overwriting(db, () => db.exec("UPDATE logs SET log = 'clean'"))
  const kept = ['', '-wal'].map(part => readFileSync(file + part).includes('a token that nobody'))
  t.same(kept, [false, false])
})
