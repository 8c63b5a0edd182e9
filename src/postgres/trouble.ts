import { FaultlineError } from '../core/errors.ts'
import { isTlsFailure } from './tls.ts'

/** The code of an error that says that no server is what is wanted: none takes writes, mostly. */
export const WRONG_SERVER = 'WRONG_SERVER'

/** The classes of SQLSTATE that say that the server, not the statement, is the trouble; 25006: it takes no writes. */
const UNAVAILABLE = /^(?:08|53[02]|57P|58|25P03|25006)/
/** The server does not let this user in, or has no such database. */
const REFUSED = /^(?:28|3D000)/
const NETWORK = /^(?:ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What `pg` says without a code when a connection breaks or none can be had. */
const BROKEN =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered|not queryable|Query read timeout/

/** Whether the database could not be reached, or ended the connection. */
function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (UNAVAILABLE.test(code) || NETWORK.test(code) || code === WRONG_SERVER) return true
  return error instanceof Error && code === '' && BROKEN.test(error.message)
}

/** What keeps this process from the database, and what mends it; null: something else. */
function troubleOf(error: unknown): { what: string; fix: string } | null {
  const code = codeOf(error)
  if (isTlsFailure(error)) {
    return {
      what: `TLS with the database failed (${code || 'it speaks none'})`,
      fix: 'Check sslmode, sslrootcert and the name of the host in DATABASE_URL, and the certificate of the server.',
    }
  }
  if (REFUSED.test(code)) {
    return {
      what: `The database refuses the connection (${code})`,
      fix: 'Check the user, the password and the name of the database in DATABASE_URL.',
    }
  }
  if (!isUnavailable(error)) return null
  return {
    what: `The database cannot be used at the moment (${code || 'connection lost'})`,
    fix: 'Try again soon; GET /ready says whether it answers.',
  }
}

/** Picks the error, among those of several servers, that tells an operator most; null: there is none. */
export const mostTelling = (errors: readonly unknown[]): unknown =>
  errors.find(error => isTlsFailure(error) || REFUSED.test(codeOf(error))) ?? errors[0] ?? null

/** The error for a database that does not answer. */
export function databaseUnavailable(cause: unknown): FaultlineError {
  const { what, fix } = troubleOf(cause) ?? {
    what: `The database cannot be used (${codeOf(cause) || 'connection lost'})`,
    fix: 'Try again soon; GET /ready says whether it answers.',
  }
  return new FaultlineError('DATABASE_UNAVAILABLE', `${what}.`, fix, { cause })
}

/** What keeps this process from the database, in our words; all else as it is. */
export const worded = (error: unknown): unknown => (troubleOf(error) === null ? error : databaseUnavailable(error))
