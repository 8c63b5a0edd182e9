import type { DatabaseSync } from 'node:sqlite'
import type { Queryable, Row } from '../postgres/database.ts'
import { columnsOf, type MovedColumn } from './columns.ts'
import { RowDigester, type RowDigest } from './row-digest.ts'
import type { MovedTable } from './tables.ts'

/** Where a copy goes on: the first column of the key, where that is a number; null: at the beginning. */
type Start = number | null

const isNumbered = ({ key: [first = ''] }: MovedTable, columns: readonly MovedColumn[]): boolean =>
  ['bigint', 'integer'].includes(columns.find(({ name }) => name === first)?.type ?? '')

const namesOf = (columns: readonly MovedColumn[]): string => columns.map(({ name }) => name).join(', ')

/** One table on one side. */
export interface TableRows {
  columns: readonly MovedColumn[]
  count(): Promise<number>
  /** The greatest number of the first column of the key; null where that is no number, or there is no row. */
  last(): Promise<Start>
  /** Rows in the order of their key, some at a time. */
  batches(from: Start): AsyncIterable<Row[]>
  digest(): Promise<RowDigest>
}

async function digestOf(batches: AsyncIterable<Row[]>, columns: readonly MovedColumn[]): Promise<RowDigest> {
  const digester = new RowDigester()
  for await (const rows of batches) for (const row of rows) digester.add(row, columns)
  return digester.result
}

/** A table in the file of a single machine. */
export function sqliteRows(file: DatabaseSync, table: MovedTable, columns: readonly MovedColumn[]): TableRows {
  const { name, key } = table
  const [first = ''] = key

  async function* batches(from: Start): AsyncIterable<Row[]> {
    const where = from === null ? '' : `WHERE ${first} >= ${from}`
    const rows = file.prepare(`SELECT ${namesOf(columns)} FROM ${name} ${where} ORDER BY ${key.join(', ')}`).iterate()
    let batch: Row[] = []
    for (const row of rows) {
      if (batch.push(row) < table.batch) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  return {
    columns,
    batches,
    count: async () => Number(file.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n),
    async last() {
      const last = isNumbered(table, columns) ? file.prepare(`SELECT max(${first}) AS n FROM ${name}`).get()?.n : null
      return typeof last === 'number' ? last : null
    },
    digest: () => digestOf(batches(null), columns),
  }
}

/** A table in PostgreSQL. */
export function postgresRows(db: Queryable, table: MovedTable, columns: readonly MovedColumn[]): TableRows {
  const { name, key } = table
  const [first = ''] = key
  const typeOf = (column: string): string => columns.find(one => one.name === column)?.type ?? 'text'
  const after = `(${key.join(', ')}) > (${key.map((column, place) => `$${place + 1}::${typeOf(column)}`).join(', ')})`

  async function* batches(from: Start): AsyncIterable<Row[]> {
    let condition = from === null ? 'true' : `${first} >= ${from}`
    let values: unknown[] = []
    for (;;) {
      const { rows } = await db.query(
        `SELECT ${namesOf(columns)} FROM ${name} WHERE ${condition} ORDER BY ${key.join(', ')} LIMIT ${table.batch}`,
        values,
      )
      const last = rows.at(-1)
      if (last === undefined) return
      yield rows
      condition = after
      values = key.map(column => last[column])
    }
  }

  return {
    columns,
    batches,
    count: async () => Number((await db.query(`SELECT count(*) AS n FROM ${name}`)).rows[0]?.n),
    async last() {
      if (!isNumbered(table, columns)) return null
      const last = (await db.query(`SELECT max(${first}) AS n FROM ${name}`)).rows[0]?.n ?? null
      return last === null ? null : Number(last)
    },
    digest: () => digestOf(batches(null), columns),
  }
}

/** Both sides of a table. */
export async function bothSides(
  { file, db }: { file: DatabaseSync; db: Queryable },
  table: MovedTable,
): Promise<{ here: TableRows; there: TableRows }> {
  const columns = await columnsOf(db, table)
  return { here: sqliteRows(file, table, columns), there: postgresRows(db, table, columns) }
}
