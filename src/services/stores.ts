import type { DatabaseSync } from 'node:sqlite'
import type { JobStore } from '../jobs/store/job-store.ts'
import type { SpaceReserve } from '../jobs/store/space-reserve.ts'
import { SqliteJobStore } from '../jobs/store/sqlite/sqlite-job-store.ts'
import { Transactions } from '../jobs/store/sqlite/transactions.ts'
import type { CiRuns } from '../resolutions/ci-runs.ts'
import type { ResolutionStore } from '../resolutions/resolution-store.ts'
import { createSqliteCiRuns } from '../resolutions/sqlite-ci-runs.ts'
import { SqliteResolutionStore } from '../resolutions/sqlite-resolution-store.ts'
import type { SharedDatabase } from './nodes.ts'

/** What is stored in tables. */
export interface Stores {
  jobs: JobStore
  resolutions: ResolutionStore
  ciRuns: CiRuns
}

interface StoresDeps {
  /** The file of this process; null where a server has the tables. */
  db: DatabaseSync | null
  reserve: SpaceReserve | null
  /** That server. */
  shared: Pick<SharedDatabase, 'db'> | null
}

/** The tables in the file of this process. */
function sqliteStores(db: DatabaseSync, reserve: SpaceReserve | null): Stores {
  const writes = new Transactions(db, reserve)
  return {
    jobs: new SqliteJobStore(db, undefined, reserve),
    resolutions: new SqliteResolutionStore(db, writes),
    ciRuns: createSqliteCiRuns(db, work => writes.quick(work)),
  }
}

/** The tables in the file of this process, or with `DATABASE_URL` in PostgreSQL, of which nothing is loaded without. */
export async function openStores(parts: AsyncDisposableStack, { db, reserve, shared }: StoresDeps): Promise<Stores> {
  if (db !== null) return sqliteStores(db, reserve)
  if (shared === null) throw new Error('there is neither a file nor a server for the tables')
  const { openPostgresStores } = await import('./postgres-stores.ts')
  return openPostgresStores(parts, shared)
}
