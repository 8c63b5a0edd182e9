import { FaultlineError } from '../core/errors.ts'

const AWAY: ReadonlySet<string> = new Set(['DATABASE_UNAVAILABLE', 'OBJECT_STORE_UNAVAILABLE'])

/** Whether an error says that the database or the object store cannot be reached, which may pass. */
export const isAway = (error: unknown): boolean => error instanceof FaultlineError && AWAY.has(error.code)
