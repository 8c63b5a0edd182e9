import type { Config } from '../config.ts'
import { FaultlineError } from '../core/errors.ts'

/** Why the database cannot be used, and what helps. */
export interface DatabaseProblem {
  reason: string
  fix: string
  /** Whether nothing works until it is mended; otherwise a start does that. */
  isFatal: boolean
}

/** Looks at the database of DATABASE_URL. @returns Null where all is well, undefined where none is configured. */
export async function failureOfDatabase({
  database,
}: Pick<Config, 'database'>): Promise<DatabaseProblem | null | undefined> {
  if (database === null) return undefined
  try {
    const { databaseState } = await import('./postgres-stores.ts')
    const { version, newest, pending } = await databaseState(database)
    if (pending.length === 0) return null
    const reason = `the schema has version ${version}, this release needs ${newest}`
    return { reason, fix: 'Run "faultline migrate".', isFatal: !database.migratesAtStart }
  } catch (error) {
    if (error instanceof FaultlineError && error.fix !== undefined) {
      return { reason: error.message, fix: error.fix, isFatal: true }
    }
    const reason = error instanceof Error ? error.message : 'it does not answer'
    return { reason, fix: 'Check DATABASE_URL and the server of the database.', isFatal: true }
  }
}
