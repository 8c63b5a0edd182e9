import type { Queryable } from '../postgres/database.ts'
import { nodeConnection } from '../postgres/connection-name.ts'
import type { Obstacle } from './part.ts'
import { FILLED_TABLES, MOVED_TABLES } from './tables.ts'

/** As long as nodes take each other for alive. */
const ALIVE_S = 8

const quoted = (names: readonly unknown[]): string => names.map(name => JSON.stringify(String(name))).join(', ')

/** Nodes that work on the database, by their heartbeats, or are connected to it. */
export async function liveNodes(db: Queryable, schema: string): Promise<Obstacle[]> {
  const alive = await db.query(
    `SELECT name FROM nodes WHERE heartbeat_at > now() - interval '${ALIVE_S} seconds' ORDER BY name`,
  )
  if (alive.rows.length > 0) {
    return [
      {
        message: `Nodes work on the cluster: ${quoted(alive.rows.map(({ name }) => name))}.`,
        fix: `Stop all of them first; one that was killed counts as alive for ${ALIVE_S} seconds.`,
      },
    ]
  }
  const name = nodeConnection(schema)
  const { rows } = await db.query(
    `SELECT coalesce(host(client_addr), 'this machine') AS place FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ANY ($1) AND pid <> pg_backend_pid()`,
    [[name, `${name} listens`]],
  )
  if (rows.length === 0) return []
  return [
    {
      message: `A node is connected to the database, from ${String(rows[0]?.place)}.`,
      fix: 'Stop all nodes first.',
    },
  ]
}

/** What stands in the tables of a cluster that is to be filled. */
export async function filledTables(db: Queryable): Promise<Obstacle[]> {
  const filled: string[] = []
  for (const name of [...MOVED_TABLES.map(table => table.name), ...FILLED_TABLES]) {
    const { rows } = await db.query('SELECT to_regclass($1) IS NOT NULL AS is_there', [name])
    if (rows[0]?.is_there !== true) continue
    if ((await db.query(`SELECT 1 FROM ${name} LIMIT 1`)).count > 0) filled.push(name)
  }
  if (filled.length === 0) return []
  return [
    {
      message: `The cluster is not empty: there are rows in ${filled.join(', ')}.`,
      fix: 'Name another database in DATABASE_URL, or another schema in DATABASE_SCHEMA: nothing is merged.',
    },
  ]
}
