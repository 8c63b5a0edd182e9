import { join } from 'node:path'
import { test } from 'tap'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { Transactions } from '../../src/jobs/store/sqlite/transactions.ts'
import { SqliteResolutionStore } from '../../src/resolutions/sqlite-resolution-store.ts'
import { createSqliteCiRuns } from '../../src/resolutions/sqlite-ci-runs.ts'
import { ciRunsContract } from '../contracts/ci-runs.ts'
import { resolutionStoreContract } from '../contracts/resolution-store.ts'

test('kept resolutions in SQLite', t => {
  resolutionStoreContract(t, async t => {
    const db = openJobsDatabase(join(t.testdir(), 'jobs.sqlite'))
    t.teardown(() => db.close())
    return new SqliteResolutionStore(db, new Transactions(db, null))
  })
  t.end()
})

test('runs of CI in SQLite', t => {
  ciRunsContract(t, async t => {
    const db = openJobsDatabase(join(t.testdir(), 'jobs.sqlite'))
    t.teardown(() => db.close())
    const writes = new Transactions(db, null)
    return createSqliteCiRuns(db, work => writes.quick(work))
  })
  t.end()
})
