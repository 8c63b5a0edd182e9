import { join } from 'node:path'
import type { Test } from 'tap'
import { openJobsDatabase } from '../../src/jobs/store/database.ts'
import { createJobs, type JobsOptions } from '../../src/jobs/jobs.ts'
import { testFolder } from './test-folder.ts'

/** Jobs over a database in a folder of the test (`root`), which run what `definitions` say; stopped in its teardown. */
export function openJobs(
  t: Test,
  definitions: JobsOptions['definitions'],
  { root = testFolder(t), ...options }: Partial<JobsOptions> & { root?: string } = {},
) {
  const db = openJobsDatabase(join(root, 'jobs.sqlite'))
  const errors: unknown[] = []
  const jobs = createJobs({
    db,
    definitions,
    concurrency: 2,
    queueLimit: 100,
    retentionDays: 30,
    retentionBytes: 1e9,
    replyTimeoutDays: 7,
    knowsPrices: false,
    workspacesDir: join(root, 'workspaces'),
    onError: error => {
      errors.push(error)
    },
    ...options,
  })
  jobs.start()
  const close = async () => {
    await jobs.stop()
    if (db.isOpen) db.close()
  }
  t.teardown(close)
  return { jobs, errors, close, root, db }
}
