import type { Config } from '../config.ts'
import type { DatabaseSettings } from '../core/database-url.ts'
import { PostgresJobStore } from '../jobs/store/postgres/postgres-job-store.ts'
import type { JobType } from '../core/job.ts'
import { openCluster } from '../jobs/hand-out/pg-boss/open-cluster.ts'
import type { Database } from '../postgres/database.ts'
import { migrate, schemaState, type SchemaState } from '../postgres/migrate.ts'
import { clientConfig, openDatabase } from '../postgres/pool.ts'
import { createPostgresCiRuns } from '../resolutions/postgres-ci-runs.ts'
import { PostgresResolutionStore } from '../resolutions/postgres-resolution-store.ts'
import type { Log } from './log.ts'
import { nodeNameOf } from './node-name.ts'
import type { SharedDatabase } from './nodes.ts'
import type { Stores } from './store-set.ts'

/** What PostgreSQL shows of this process. */
const NAME = 'faultline'

interface PostgresDeps {
  shared: SharedDatabase
  settings: DatabaseSettings
  config: Pick<Config, 'node' | 'dataDir'>
  readOnly: boolean
  isBeside: (type: JobType) => boolean
  log: Log
}

/** The tables in PostgreSQL, whose jobs pg-boss hands out to the nodes. @throws What the database threw. */
export async function openPostgresStores(
  parts: AsyncDisposableStack,
  { shared: { db, listener }, settings, config, readOnly, isBeside, log }: PostgresDeps,
): Promise<Stores> {
  const others = { resolutions: new PostgresResolutionStore(db), ciRuns: createPostgresCiRuns(db) }
  if (readOnly) return { jobs: new PostgresJobStore(db), ...others, jobSharing: {} }
  const node = nodeNameOf(config)
  const { types: _types, ...connection } = clientConfig(settings, `${NAME} hands out`)
  const { store, handOut, newsLine, close } = await openCluster({
    db,
    listener,
    connection,
    schema: settings.schema,
    isBeside,
    node: config.node.roles.includes('worker') ? node : null,
    onError: error => log.warn({ err: error }, 'jobs could not be handed out, which is tried again'),
  })
  parts.defer(close)
  return { jobs: store, ...others, jobSharing: { handOut, newsLine, node } }
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
