import { join } from 'node:path'
import t from 'tap'
import { openJobsDatabase } from '../../../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { sessionStoreContract } from '../../../contracts/session-store.ts'
import { testFolder } from '../../../helpers/test-folder.ts'

sessionStoreContract(t, async (t, now) => {
  const db = openJobsDatabase(join(testFolder(t), 'jobs.sqlite'))
  t.teardown(() => db.close())
  return new SqliteJobStore(db, now).sessions
})
