import type { DatabaseSettings } from '../core/database-url.ts'
import { PostgresJobStore } from '../jobs/store/postgres/postgres-job-store.ts'
import type { Database } from '../postgres/database.ts'
import { migrate, schemaState, type SchemaState } from '../postgres/migrate.ts'
import { openDatabase } from '../postgres/pool.ts'
import { createPostgresCiRuns } from '../resolutions/postgres-ci-runs.ts'
import { PostgresResolutionStore } from '../resolutions/postgres-resolution-store.ts'
import type { SharedDatabase } from './nodes.ts'
import type { Stores } from './stores.ts'

/** What PostgreSQL shows of this process. */
const NAME = 'faultline'

/** The tables in PostgreSQL. */
export function openPostgresStores(parts: AsyncDisposableStack, { db }: Pick<SharedDatabase, 'db'>): Stores {
  // an end is to be written before the process goes; a supervisor does not wait longer
  const closing = new AbortController()
  parts.defer(() => closing.abort())
  return {
    jobs: new PostgresJobStore(db, { patience: { forMs: 60_000, signal: closing.signal } }),
    resolutions: new PostgresResolutionStore(db),
    ciRuns: createPostgresCiRuns(db),
  }
}

/** Does something with the database alone. */
async function withDatabase<T>(settings: DatabaseSettings, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(settings, { name: NAME, onError() {} })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Brings the schema up to date, as `migrate` of the database. */
export const migrateDatabase = (settings: DatabaseSettings): Promise<SchemaState> =>
  withDatabase(settings, db => migrate(db, settings.schema))

/** The state of the schema, as `schemaState` of the database. */
export const databaseState = (settings: DatabaseSettings): Promise<SchemaState> =>
  withDatabase(settings, db => schemaState(db, settings.schema))
