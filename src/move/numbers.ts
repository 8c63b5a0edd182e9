import type { DatabaseSync } from 'node:sqlite'
import type { Queryable } from '../postgres/database.ts'
import { MOVED_TABLES } from './tables.ts'

/** The number that each table gave out last, by its name: rows with it may be gone. */
type LastNumbers = Readonly<Record<string, number>>

interface NumberedTable {
  name: string
  column: string
}

const NUMBERED: readonly NumberedTable[] = MOVED_TABLES.flatMap(({ name, numbered: column }) =>
  column === undefined ? [] : [{ name, column }],
)
/** Counted in a row, as numbers of a sequence have gaps. */
const COUNTED = 'tasks'

/** As the file of a single machine has them. */
export function numbersOfSqlite(file: DatabaseSync): LastNumbers {
  const given = file.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?')
  return Object.fromEntries(NUMBERED.map(({ name }) => [name, Number(given.get(name)?.seq ?? 0)]))
}

/** As PostgreSQL has them. */
export async function numbersOfPostgres(db: Queryable): Promise<LastNumbers> {
  const numbers: Record<string, number> = {}
  for (const { name, column } of NUMBERED) {
    const { rows } =
      name === COUNTED
        ? await db.query('SELECT value FROM counters WHERE name = $1', [name])
        : await db.query(
            'SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0) AS value',
            [name, column],
          )
    numbers[name] = Number(rows[0]?.value)
  }
  return numbers
}

/** Has PostgreSQL go on after these numbers. */
export async function setNumbersOfPostgres(db: Queryable, numbers: LastNumbers): Promise<void> {
  for (const { name, column } of NUMBERED) {
    const last = numbers[name] ?? 0
    if (name === COUNTED) await db.query('UPDATE counters SET value = $2 WHERE name = $1', [name, last])
    else {
      await db.query('SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, 1), $3::bigint > 0)', [
        name,
        column,
        last,
      ])
    }
  }
}

/** Has SQLite go on after these numbers. */
export function setNumbersOfSqlite(file: DatabaseSync, numbers: LastNumbers): void {
  const change = file.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?')
  const add = file.prepare('INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)')
  for (const { name } of NUMBERED) {
    const last = numbers[name] ?? 0
    if (Number(change.run(last, name).changes) === 0 && last > 0) add.run(last, name)
  }
}
