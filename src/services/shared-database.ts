import type { Config } from '../config.ts'
import type { Log } from './log.ts'
import type { SharedDatabase } from './nodes.ts'

/**
 * Opens the database that several nodes work on and brings its schema up to date, or looks whether it is; null where
 * there is none. The driver is loaded only here.
 *
 * @throws {FaultlineError} DATABASE_UNAVAILABLE; CONFIG_INVALID as `migrate`, `requireSchema` and `requireSettled`.
 */
export async function openSharedDatabase(
  parts: AsyncDisposableStack,
  { database: settings }: Pick<Config, 'database'>,
  { readOnly, log }: { readOnly: boolean; log: Log },
): Promise<SharedDatabase | null> {
  if (settings === null) return null
  const [{ openDatabase }, { migrate, requireSchema }, { openListener }, { nodeConnection }, { requireSettled }] =
    await Promise.all([
      import('../postgres/pool.ts'),
      import('../postgres/migrate.ts'),
      import('../postgres/listener.ts'),
      import('../postgres/connection-name.ts'),
      import('../move/move-record.ts'),
    ])
  const onError = (error: unknown) => log.warn({ err: error }, 'a connection to the database broke')
  const name = nodeConnection(settings.schema)
  const db = openDatabase(settings, { name, onError })
  parts.defer(() => db.close())
  const look = settings.migratesAtStart && !readOnly ? migrate : requireSchema
  const { version, applied } = await look(db, settings.schema)
  if (applied.length > 0) log.info({ applied, version }, 'the schema of the database was brought up to date')
  if (!readOnly) await requireSettled(db)
  const listener = openListener(db, settings, { name, onError })
  parts.defer(() => listener.close())
  return { db, listener, version }
}
