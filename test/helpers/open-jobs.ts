import { join } from 'node:path'
import type { Test } from 'tap'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { Jobs, type JobsOptions } from '../../src/jobs/jobs.ts'
import { SqliteJobStore } from '../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { JOBS_LIMITS } from './jobs-defaults.ts'
import { testFolder } from './test-folder.ts'

/** Jobs over a database in a folder of the test (`root`), which run what `definitions` say; stopped in its teardown. */
export async function openJobs(
  t: Test,
  definitions: JobsOptions['definitions'],
  { root = testFolder(t), now, ...options }: Partial<JobsOptions> & { root?: string; now?: () => Date } = {},
) {
  const db = openJobsDatabase(join(root, 'jobs.sqlite'))
  const errors: unknown[] = []
  const onError = (error: unknown) => {
    errors.push(error)
  }
  const jobs = new Jobs({
    store: new SqliteJobStore(db, now),
    definitions,
    ...JOBS_LIMITS,
    workspacesDir: join(root, 'workspaces'),
    onError,
    ...options,
  })
  const close = async () => {
    await jobs.stop()
    if (db.isOpen) db.close()
  }
  t.teardown(close)
  await jobs.start()
  return { jobs, errors, close, root, db }
}
