import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { columnsOf } from '../../src/move/columns.ts'
import { CLUSTER_TABLES, FILLED_TABLES, MOVED_TABLES } from '../../src/move/tables.ts'
import { overPostgres } from '../helpers/postgres.ts'

const names = MOVED_TABLES.map(({ name }) => name)

function openFile(t: Test): DatabaseSync {
  const file = openJobsDatabase(join(t.testdir(), 'jobs.sqlite'))
  t.teardown(() => file.close())
  return file
}

t.test('every table of a single machine is taken over', async t => {
  const file = openFile(t)
  const tables = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
  t.same(tables.map(({ name }) => String(name)).sort(), [...names].sort())
  for (const { name, key, numbered } of MOVED_TABLES) {
    const columns = file.prepare(`PRAGMA table_info(${name})`).all()
    const own = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
    t.same(
      own.map(column => column.name),
      key,
      `the key of ${name}`,
    )
    const sql = String(file.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name)?.sql)
    t.equal(sql.includes('AUTOINCREMENT'), numbered !== undefined, `whether ${name} gives out numbers`)
  }
})

overPostgres(t, (t, openEmpty) => {
  t.test('every table of a cluster is taken over, or it is known why not', async t => {
    const db = await openEmpty()
    const { rows } = await db.query('SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()')
    t.same(rows.map(({ name }) => String(name)).sort(), [...names, ...Object.keys(CLUSTER_TABLES)].sort())
    for (const name of FILLED_TABLES) t.ok(name in CLUSTER_TABLES, name)
  })

  t.test('both sides have the same columns, beside those that follow from them', async t => {
    const db = await openEmpty()
    const file = openFile(t)
    for (const table of MOVED_TABLES) {
      const own = file.prepare(`PRAGMA table_info(${table.name})`).all()
      const columns = await columnsOf(db, table)
      const moved = own.map(({ name }) => String(name)).filter(name => table.left?.includes(name) !== true)
      t.same(columns.map(({ name }) => name).sort(), moved.sort(), table.name)
    }
  })
})
