import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Database } from '../postgres/database.ts'
import { setDerivedColumns } from './derived-columns.ts'
import { insertIntoPostgres, insertIntoSqlite } from './insert-rows.ts'
import { numbersOfPostgres, numbersOfSqlite, setNumbersOfPostgres, setNumbersOfSqlite } from './numbers.ts'
import type { Direction } from './direction.ts'
import type { MovePart, OnProgress } from './part.ts'
import { bothSides, sqliteRows, postgresRows, type TableRows } from './table-rows.ts'
import { MOVED_TABLES, type MovedTable } from './tables.ts'

/** Both sides of the tables. */
interface RowsDeps {
  file: DatabaseSync
  /** Its path. */
  path: string
  db: Database
  direction: Direction
}

/** The side that is read and the one that is filled. */
const sidesOf = (direction: Direction, { here, there }: { here: TableRows; there: TableRows }) =>
  direction === 'to_cluster' ? { source: here, target: there } : { source: there, target: here }

/** The rows of all tables, and the numbers that the next ones get. */
export function createRows({ file, path, db, direction }: RowsDeps): MovePart {
  const sides = async (table: MovedTable) => sidesOf(direction, await bothSides({ file, db }, table))

  /** Rows of the source: without columns, as a new database has no tables yet. */
  const countSource = (table: MovedTable): Promise<number> =>
    (direction === 'to_cluster' ? sqliteRows(file, table, []) : postgresRows(db, table, [])).count()

  async function bytes(): Promise<number | null> {
    if (direction === 'to_cluster') return statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const { rows } = await db.query(
      'SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0) AS bytes FROM unnest($1::text[]) AS name',
      [MOVED_TABLES.map(({ name }) => name)],
    )
    return Number(rows[0]?.bytes)
  }

  async function moveTable(table: MovedTable, onRows: (rows: number) => void, signal: AbortSignal): Promise<void> {
    const { source, target } = await sides(table)
    const there = await target.count()
    if (there > 0 && there === (await source.count())) {
      onRows(there)
      return
    }
    const from = await target.last() // what comes after it was never written
    for await (const rows of source.batches(from)) {
      signal.throwIfAborted()
      if (direction === 'to_cluster') await insertIntoPostgres(db, table, source.columns, rows)
      else insertIntoSqlite(file, table, source.columns, rows)
      onRows(rows.length)
    }
  }

  return {
    name: 'rows',

    async look() {
      let items = 0
      for (const table of MOVED_TABLES) items += await countSource(table)
      return { items, bytes: await bytes(), obstacles: [], notes: [] }
    },

    async move(onProgress: OnProgress, signal) {
      let total = 0
      for (const table of MOVED_TABLES) total += await countSource(table)
      let done = 0
      for (const table of MOVED_TABLES) {
        await moveTable(
          table,
          rows => {
            done = Math.min(total, done + rows)
            onProgress(done, total)
          },
          signal,
        )
      }
      if (direction === 'to_cluster') {
        await setDerivedColumns(db, signal)
        await setNumbersOfPostgres(db, numbersOfSqlite(file))
      } else setNumbersOfSqlite(file, await numbersOfPostgres(db))
      onProgress(total, total)
    },

    async check(onProgress, signal) {
      const figures: Record<string, number> = {}
      const differences: string[] = []
      let same = 0
      for (const [done, table] of MOVED_TABLES.entries()) {
        onProgress(done, MOVED_TABLES.length)
        signal.throwIfAborted()
        const { source, target } = await sides(table)
        const [wanted, found] = [await source.digest(), await target.digest()]
        figures[table.name] = found.rows
        if (wanted.rows !== found.rows) differences.push(`${table.name}: ${found.rows} of ${wanted.rows} rows`)
        else if (wanted.digest !== found.digest) differences.push(`${table.name}: rows differ`)
        else same += found.rows
      }
      const [here, there] = [numbersOfSqlite(file), await numbersOfPostgres(db)]
      for (const [name, last] of Object.entries(here)) {
        if (there[name] !== last) differences.push(`${name}: the next number differs`)
      }
      return { same, differences, figures }
    },
  }
}
