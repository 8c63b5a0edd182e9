import { FaultlineError } from '../core/errors.ts'
import type { Database, Queryable } from './database.ts'
import type { Migration } from './migrations/migration.ts'
import { MIGRATIONS } from './migrations/migrations.ts'

/** Names the advisory lock: any number that no other program is likely to take. */
const LOCK = 704_511_902_003
const OLDEST_SERVER = 150_000

/** What is said of a schema. */
export interface SchemaState {
  /** The version of the schema; 0: there is none. */
  version: number
  /** The version that this release brings. */
  newest: number
  /** What was applied now. */
  applied: string[]
  /** What is still to be applied. */
  pending: string[]
}

async function requireServer(db: Queryable): Promise<void> {
  const { rows } = await db.query("SELECT current_setting('server_version_num')::int AS version")
  const version = Number(rows[0]?.version)
  if (version >= OLDEST_SERVER) return
  throw new FaultlineError(
    'CONFIG_INVALID',
    `The database is PostgreSQL ${Math.floor(version / 10_000)}; 15 is the oldest that Faultline works with.`,
    'Point DATABASE_URL at PostgreSQL 15 or newer.',
  )
}

/** The version of the schema, and the lowest one whose release works with it. */
async function readVersion(db: Queryable, schema: string): Promise<{ version: number; worksFrom: number }> {
  const { rows } = await db.query('SELECT to_regclass($1) IS NOT NULL AS is_there', [`${schema}.migrations`])
  if (rows[0]?.is_there !== true) return { version: 0, worksFrom: 0 }
  const found = await db.query(
    'SELECT coalesce(max(version), 0) AS version, coalesce(max(works_from), 0) AS works_from FROM migrations',
  )
  return { version: Number(found.rows[0]?.version), worksFrom: Number(found.rows[0]?.works_from) }
}

/** @throws {FaultlineError} CONFIG_INVALID: a newer release took away what this one needs. */
function requireKnown({ version, worksFrom }: { version: number; worksFrom: number }, newest: number): void {
  if (worksFrom <= newest) return
  throw new FaultlineError(
    'CONFIG_INVALID',
    `The schema of the database has version ${version}, with which this release (version ${newest}) cannot work.`,
    'Start the newer release that brought the schema there.',
  )
}

async function applyRest(tx: Queryable, schema: string, migrations: readonly Migration[]): Promise<SchemaState> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
  await tx.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await tx.query(
    `CREATE TABLE IF NOT EXISTS migrations (
       version int PRIMARY KEY, name text NOT NULL, works_from int NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now())`,
  )
  const found = await readVersion(tx, schema)
  requireKnown(found, migrations.length)
  const applied: string[] = []
  for (const [index, { name, sql, worksFrom = 0 }] of migrations.entries()) {
    const version = index + 1
    if (version <= found.version) continue
    await tx.query(sql)
    await tx.query('INSERT INTO migrations (version, name, works_from) VALUES ($1, $2, $3)', [version, name, worksFrom])
    applied.push(name)
  }
  return { version: Math.max(found.version, migrations.length), newest: migrations.length, applied, pending: [] }
}

/**
 * Brings the schema up to date, all of it or nothing. Nodes that start at once wait for each other.
 *
 * @param schema - Its name, of small letters, digits and `_`.
 * @throws {FaultlineError} CONFIG_INVALID: a server older than 15, or a schema that this release cannot work with.
 * DATABASE_UNAVAILABLE.
 */
export async function migrate(
  db: Database,
  schema: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<SchemaState> {
  await requireServer(db)
  return db.transaction(tx => applyRest(tx, schema, migrations))
}

/** The state of the schema, which is left as it is. @throws {FaultlineError} As `migrate`. */
export async function schemaState(db: Database, schema: string): Promise<SchemaState> {
  await requireServer(db)
  const found = await readVersion(db, schema)
  const newest = MIGRATIONS.length
  requireKnown(found, newest)
  const pending = MIGRATIONS.slice(found.version).map(({ name }) => name)
  return { version: found.version, newest, applied: [], pending }
}

/**
 * As `schemaState`.
 *
 * @throws {FaultlineError} As `migrate`; and CONFIG_INVALID for a schema that first has to be brought up to date.
 */
export async function requireSchema(db: Database, schema: string): Promise<SchemaState> {
  const found = await schemaState(db, schema)
  const { newest, pending } = found
  if (pending.length === 0) return found
  throw new FaultlineError(
    'CONFIG_INVALID',
    `The schema of the database has version ${found.version}; this release needs ${newest}.`,
    'Run "faultline migrate", or set DATABASE_MIGRATE=true.',
  )
}
