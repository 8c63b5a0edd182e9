import { join } from 'node:path'
import { test } from 'tap'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { Transactions } from '../../src/jobs/store/sqlite/transactions.ts'
import { SqliteResolutionStore } from '../../src/resolutions/sqlite-resolution-store.ts'
import { resolutionStoreContract } from '../contracts/resolution-store.ts'

test('kept resolutions in SQLite', t => {
  resolutionStoreContract(t, async t => {
    const db = openJobsDatabase(join(t.testdir(), 'jobs.sqlite'))
    t.teardown(() => db.close())
    return new SqliteResolutionStore(db, new Transactions(db, null))
  })
  t.end()
})
