import { FaultlineError } from '../core/errors.ts'
import type { Queryable, Row } from '../postgres/database.ts'
import type { Direction } from './direction.ts'

/** A move as the database of the cluster has it. */
interface MoveRecord {
  id: string
  direction: Direction
  /**
   * `given_up`: the cluster was filled in part and is of no use; `undone`: the cluster that was to be left, or was, is
   * used again.
   */
  state: 'moving' | 'done' | 'given_up' | 'undone'
  /** The single machine's side, in words. */
  place: string
  /** ISO 8601. */
  startedAt: string
}

const COLUMNS = 'id::text AS id, direction, state, place, started_at'

const toRecord = (row: Row): MoveRecord => ({
  id: String(row.id),
  direction: row.direction as Direction,
  state: row.state as MoveRecord['state'],
  place: String(row.place),
  startedAt: String(row.started_at),
})

/** A move by its id. */
export async function findMove(db: Queryable, id: string): Promise<MoveRecord | null> {
  const { rows } = await db.query(`SELECT ${COLUMNS} FROM moves WHERE id = $1`, [id])
  return rows[0] === undefined ? null : toRecord(rows[0])
}

/** The move that goes on, or after which nodes may not work here; null: they may. */
export async function standingMove(db: Queryable): Promise<MoveRecord | null> {
  const { rows } = await db.query(
    `SELECT ${COLUMNS} FROM moves
     WHERE state IN ('moving', 'given_up') OR (state = 'done' AND direction = 'from_cluster')
     ORDER BY state = 'moving' DESC, started_at DESC LIMIT 1`,
  )
  return rows[0] === undefined ? null : toRecord(rows[0])
}

/** Notes that a move begins. Idempotent. */
export async function beginRecord(
  db: Queryable,
  { id, direction, place }: Pick<MoveRecord, 'id' | 'direction' | 'place'>,
): Promise<void> {
  await db.query(
    `INSERT INTO moves (id, direction, state, place) VALUES ($1, $2, 'moving', $3)
     ON CONFLICT (id) DO NOTHING`,
    [id, direction, place],
  )
}

/** Notes how a move ended. */
export async function endRecord(
  db: Queryable,
  id: string,
  state: Exclude<MoveRecord['state'], 'moving'>,
): Promise<void> {
  await db.query('UPDATE moves SET state = $2, ended_at = clock_timestamp() WHERE id = $1', [id, state])
}

/** Tells a cluster from others, also from one whose database was made again. */
export async function clusterIdentity(db: Queryable): Promise<string> {
  await db.query('INSERT INTO cluster_identity DEFAULT VALUES ON CONFLICT DO NOTHING')
  const { rows } = await db.query('SELECT id::text AS id FROM cluster_identity')
  return String(rows[0]?.id)
}

/** Forgets a move that did not begin. */
export async function forgetRecord(db: Queryable, id: string): Promise<void> {
  await db.query("DELETE FROM moves WHERE id = $1 AND state = 'moving'", [id])
}

/** The same without making it; null where it was never asked for. */
export async function knownIdentity(db: Queryable): Promise<string | null> {
  const { rows } = await db.query('SELECT id::text AS id FROM cluster_identity')
  return rows[0] === undefined ? null : String(rows[0].id)
}

/** Why nodes may not work on a database on which a move stands. */
function standingError({ direction, state, place, startedAt }: MoveRecord): FaultlineError {
  const refused = (message: string, fix: string) => new FaultlineError('CONFIG_INVALID', message, fix)
  const day = startedAt.slice(0, 10)
  if (state === 'given_up') {
    return refused(
      `The cluster on DATABASE_URL was filled in part from ${place} on ${day}, and then the move was given up.`,
      'Drop its two schemas, faultline and faultline_queue unless DATABASE_SCHEMA says otherwise, or name another ' +
        'database.',
    )
  }
  if (state === 'done') {
    return refused(
      `What the cluster on DATABASE_URL holds was moved to ${place} on ${day}; here is an old copy.`,
      'Start the single server there, without DATABASE_URL. "faultline move --from-cluster --undo" goes on with the ' +
        'old copy.',
    )
  }
  const isFilled = direction === 'to_cluster'
  const flag = isFilled ? '--to-cluster' : '--from-cluster'
  return refused(
    `The cluster on DATABASE_URL is being ${isFilled ? 'filled from' : 'moved to'} ${place} since ${day}, and that ` +
      'has not ended.',
    `Run "faultline move ${flag}" there again, which goes on; with --undo the move is given up.`,
  )
}

/**
 * Looks that nodes may work on a database.
 *
 * @throws {FaultlineError} CONFIG_INVALID: a move goes on or was given up, or its data was moved to a single machine.
 */
export async function requireSettled(db: Queryable): Promise<void> {
  const move = await standingMove(db)
  if (move !== null) throw standingError(move)
}
