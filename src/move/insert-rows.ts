import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../jobs/store/sqlite/database.ts'
import type { Queryable, Row } from '../postgres/database.ts'
import { toPostgres, toSqlite, type MovedColumn } from './columns.ts'
import type { MovedTable } from './tables.ts'

/** PostgreSQL takes 65,535 values in a statement. */
const MAX_VALUES = 30_000

/** Inserts rows of SQLite into PostgreSQL; those that are there stay as they are. */
export async function insertIntoPostgres(
  db: Queryable,
  { name }: MovedTable,
  columns: readonly MovedColumn[],
  rows: readonly Row[],
): Promise<void> {
  const most = Math.floor(MAX_VALUES / columns.length)
  for (let start = 0; start < rows.length; start += most) {
    const values: unknown[] = []
    const tuples = rows.slice(start, start + most).map(row => {
      const places = columns.map(column => {
        const value = toPostgres(row[column.name] as Parameters<typeof toPostgres>[0], column)
        return `$${values.push(value)}::${column.type}`
      })
      return `(${places.join(', ')})`
    })
    await db.query(
      `INSERT INTO ${name} (${columns.map(column => column.name).join(', ')}) OVERRIDING SYSTEM VALUE
       VALUES ${tuples.join(', ')} ON CONFLICT DO NOTHING`,
      values,
    )
  }
}

/** Inserts rows of PostgreSQL into SQLite, all or none; those that are there stay as they are. */
export function insertIntoSqlite(
  file: DatabaseSync,
  { name }: MovedTable,
  columns: readonly MovedColumn[],
  rows: readonly Row[],
): void {
  const insert = file.prepare(
    `INSERT OR IGNORE INTO ${name} (${columns.map(column => column.name).join(', ')})
     VALUES (${columns.map(() => '?').join(', ')})`,
  )
  transaction(file, () => {
    for (const row of rows) insert.run(...columns.map(column => toSqlite(row[column.name], column)))
  })
}
