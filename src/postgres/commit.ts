import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { UnknownOutcomeError } from '../core/database-away.ts'
import { FaultlineError } from '../core/errors.ts'
import type { Queryable, Row } from './database.ts'
import { codeOf, worded } from './trouble.ts'

/** A transaction that has begun. */
interface Begun {
  /** Its number, which is given again when a crash took all of it. */
  xid: string
  /** What is written with it and says for certain that it was committed; null: a schema without the table of marks. */
  mark: { session: string; number: number } | null
}

/** How often it is asked whether a lost connection has committed; the server ends it after a few seconds. */
const ASK_MS = 100
/** The number was given before a crash, and nothing of it reached the disk: the database does not know it any more. */
const IN_THE_FUTURE = '22023'
/** No outcome is asked for after so long. */
const KEPT = '1 day'

/** Names each connection, and counts its transactions. */
const sessions = new WeakMap<PoolClient, { session: string; number: number }>()

function nextMark(client: PoolClient): { session: string; number: number } {
  const { session, number } = sessions.get(client) ?? { session: randomUUID(), number: 0 }
  const next = { session, number: number + 1 }
  sessions.set(client, next)
  return next
}

/** Begins a transaction, with that by which its outcome can be asked for. */
export async function begin(client: PoolClient): Promise<Begun> {
  try {
    // a table that was there once stays
    const hasMarks = sessions.has(client) ? 'true' : "to_regclass('commit_marks') IS NOT NULL"
    const results: unknown = await client.query(
      `BEGIN; SELECT pg_current_xact_id()::text AS xid, ${hasMarks} AS has_marks`,
    )
    const [, { rows: [row] = [] } = {}] = results as [unknown, { rows?: Row[] }?]
    return { xid: String(row?.xid), mark: row?.has_marks === true ? nextMark(client) : null }
  } catch (error) {
    throw worded(error)
  }
}

/** Both parts are of our own making. The first mark of a connection takes those of connections long gone with it. */
function markSql({ session, number }: NonNullable<Begun['mark']>): string {
  const old = `DELETE FROM commit_marks WHERE session IN (
    SELECT session FROM commit_marks WHERE at < now() - interval '${KEPT}' FOR UPDATE SKIP LOCKED);`
  return `${number === 1 ? old : ''}
    INSERT INTO commit_marks (session, number) VALUES ('${session}', ${number})
    ON CONFLICT (session) DO UPDATE SET number = excluded.number, at = excluded.at;`
}

/** What the database says of a number once no transaction has it that runs. */
async function statusOf(db: Queryable, xid: string): Promise<unknown> {
  try {
    for (;;) {
      const { rows } = await db.query('SELECT pg_xact_status($1::text::xid8) AS status', [xid])
      if (rows[0]?.status !== 'in progress') return rows[0]?.status
      await delay(ASK_MS)
    }
  } catch (error) {
    if (codeOf(error) === IN_THE_FUTURE) return null
    throw error
  }
}

/** Whether a transaction was committed, waiting for it to end. */
async function isCommitted(db: Queryable, { xid, mark }: Begun): Promise<boolean> {
  const status = await statusOf(db, xid)
  if (mark === null) return status === 'committed'
  const { session, number } = mark
  const { rows } = await db.query('SELECT 1 FROM commit_marks WHERE session = $1 AND number = $2', [session, number])
  return rows.length > 0
}

/**
 * Commits.
 *
 * @param db - Where the outcome is asked for if the connection breaks.
 * @throws {UnknownOutcomeError} The connection broke before the answer came.
 */
export async function commit<T>(db: Queryable, client: PoolClient, begun: Begun, result: T): Promise<T> {
  try {
    await client.query(begun.mark === null ? 'COMMIT' : `${markSql(begun.mark)} COMMIT`)
    return result
  } catch (cause) {
    const error = worded(cause)
    if (!(error instanceof FaultlineError)) throw error
    const settle = async () => ((await isCommitted(db, begun)) ? { result } : null)
    throw new UnknownOutcomeError(error, settle)
  }
}
