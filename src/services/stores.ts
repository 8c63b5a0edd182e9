import type { DatabaseSync } from 'node:sqlite'
import type { Config } from '../config.ts'
import type { JobType } from '../core/job.ts'
import type { SpaceReserve } from '../jobs/store/space-reserve.ts'
import { SqliteJobStore } from '../jobs/store/sqlite/sqlite-job-store.ts'
import { Transactions } from '../jobs/store/sqlite/transactions.ts'
import { createSqliteCiRuns } from '../resolutions/sqlite-ci-runs.ts'
import { SqliteResolutionStore } from '../resolutions/sqlite-resolution-store.ts'
import type { Log } from './log.ts'
import type { SharedDatabase } from './nodes.ts'
import type { Stores } from './store-set.ts'

interface StoresDeps {
  /** The file of this process; null where a server has the tables. */
  db: DatabaseSync | null
  reserve: SpaceReserve | null
  /** That server. */
  shared: SharedDatabase | null
  /** Whether no job is run and nothing written. */
  readOnly: boolean
  /** Whether jobs of a type run beside those that are counted. */
  isBeside: (type: JobType) => boolean
  log: Log
}

/** The tables in the file of this process. */
function sqliteStores(db: DatabaseSync, reserve: SpaceReserve | null): Stores {
  const writes = new Transactions(db, reserve)
  return {
    jobs: new SqliteJobStore(db, undefined, reserve),
    resolutions: new SqliteResolutionStore(db, writes),
    ciRuns: createSqliteCiRuns(db, work => writes.quick(work)),
    jobSharing: {},
  }
}

/**
 * The tables in the file of this process, or with `DATABASE_URL` in PostgreSQL, of which nothing is loaded without.
 *
 * @throws What the database threw.
 */
export async function openStores(
  parts: AsyncDisposableStack,
  { database, ...config }: Pick<Config, 'database' | 'node' | 'dataDir'>,
  { db, reserve, shared, ...options }: StoresDeps,
): Promise<Stores> {
  if (db !== null) return sqliteStores(db, reserve)
  if (shared === null || database === null) throw new Error('there is neither a file nor a server for the tables')
  const { openPostgresStores } = await import('./postgres-stores.ts')
  return await openPostgresStores(parts, { shared, settings: database, config, ...options })
}
