import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { test } from 'tap'
import { openJobsDatabase } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import type { JsonObject } from '../../../../src/core/job.ts'
import type { NewJob } from '../../../../src/jobs/store/job-store.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

const QUEUE = { limit: 10, retryAfterS: () => 1 }
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
    const later = ['asked', 'waiting_since', 'active_ms', 'redactions', 'last_step', 'failure']
      .map(column => `ALTER TABLE jobs DROP COLUMN ${column};`)
      .join('')
    first.exec(
      `DROP TABLE job_inputs; DROP TABLE job_files; DROP TABLE job_texts; DROP TABLE job_transcript; ${later} ` +
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
