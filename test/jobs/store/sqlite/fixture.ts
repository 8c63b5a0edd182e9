import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { JsonObject } from '../../../../src/core/job.ts'
import type { ClaimedJob } from '../../../../src/jobs/store/job-store.ts'
import { openJobsDatabase } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

/** A store in a folder of the test, its database, and a way to make a job that runs. */
export function openSqliteStore(t: Test, now?: () => Date) {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  const store = new SqliteJobStore(db, now)
  const makeRun = async (input: JsonObject = {}): Promise<ClaimedJob> => {
    const { job } = await store.create(
      { id: randomUUID(), type: 'task', input, projectName: null, exclusiveKey: null, keyName: null },
      { limit: 100, retryAfterS: () => 1 },
    )
    const run = await store.claim(job.seq)
    if (run === null) throw new Error('the job is not queued')
    return run
  }
  const rows = (sql: string) => db.prepare(sql).all()
  return { db, store, makeRun, rows }
}
