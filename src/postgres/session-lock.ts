import type pg from 'pg'
import type { DatabaseSettings } from '../core/database-url.ts'
import { createClient } from './pool.ts'
import { codeOf, databaseUnavailable } from './trouble.ts'

/** Tells these locks from others of the database. */
const CLASS = 704_512
/** A holder that says nothing for so long is taken for dead. */
const IDLE_SESSION_MS = 15_000
const PROBE_MS = 5_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Resolves when the lock is held.
 *
 * @param forMs - How long a statement waits; a server that went away without a word never answers one.
 */
async function takeLock(client: pg.Client, { key, forMs }: { key: string; forMs: number }): Promise<void> {
  await client.query(`SET lock_timeout = ${forMs}`)
  for (;;) {
    try {
      await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [CLASS, key])
      return
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error
    }
  }
}

/**
 * Does work that no other node may do at the same time under the same name: it waits for its turn, mostly in the order
 * in which it was asked for. The lock is a connection's own, so that it goes with a node that dies. One that stood
 * still may work on beside its successor for a moment: what it writes has to be checked where it is written.
 *
 * @throws {FaultlineError} DATABASE_UNAVAILABLE. The signal's reason.
 */
export async function withSessionLock<T>(
  settings: DatabaseSettings,
  { key, name, signal }: { key: string; name: string; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const client = createClient(settings, { name, statement_timeout: 0 })
  client.on('error', () => {}) // the next statement says so
  let probe: NodeJS.Timeout | undefined
  const leave = () => client.end().catch(() => {})
  signal.addEventListener('abort', leave, { once: true })
  try {
    await client.connect()
    await takeLock(client, { key, forMs: settings.statementTimeoutMs })
    await client.query(`SET idle_session_timeout = ${IDLE_SESSION_MS}`)
    probe = setInterval(() => client.query('SELECT 1').catch(() => {}), PROBE_MS)
  } catch (error) {
    signal.removeEventListener('abort', leave)
    await leave()
    signal.throwIfAborted()
    throw databaseUnavailable(error)
  }
  try {
    return await work()
  } finally {
    clearInterval(probe)
    signal.removeEventListener('abort', leave)
    leave()
  }
}
