import { createHash } from 'node:crypto'
import { test } from 'tap'
import type { Database } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import type { Migration } from '../../src/postgres/migrations/migration.ts'
import { MIGRATIONS } from '../../src/postgres/migrations/migrations.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'

/** Names of migrations that take away what an earlier release needs; each says with `worksFrom` which one it was. */
const CONTRACTIONS: readonly string[] = []

/** Of the SQL of what was released; none of it may be changed any more. */
const RELEASED = [
  ['jobs', '26aae1cdd2776dd3'],
  ['resolutions', '91082e3c5e62a570'],
  ['projects', 'ece6a622d735e672'],
  ['clones', '184ad7541ded116f'],
  ['objects, blobs, generations and clones', '0662511a327ad3b3'],
  ['nodes', '6b487599c6ea3747'],
]

const digest = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex').slice(0, 16)

/** What a release relies on: columns by their names, and rules that rows have to obey. */
interface Shape {
  columns: Map<string, { type: string; isNullable: boolean; hasDefault: boolean }>
  rules: Set<string>
}

async function shapeOf(db: Database): Promise<Shape> {
  const columns = await db.query(
    `SELECT table_name || '.' || column_name AS name, udt_name AS type, is_nullable = 'YES' AS nullable,
       column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS' AS has_default
     FROM information_schema.columns WHERE table_schema = current_schema()`,
  )
  const rules = await db.query(
    `SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) AS rule FROM pg_constraint
     WHERE connamespace = current_schema()::regnamespace AND contype <> 'n'
     UNION SELECT tablename || ': ' || regexp_replace(indexdef, ' INDEX \\S+ ON', ' INDEX ON') FROM pg_indexes
     WHERE schemaname = current_schema() AND indexdef LIKE 'CREATE UNIQUE%'
     UNION SELECT tgrelid::regclass || ': trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal`,
  )
  return {
    columns: new Map(
      columns.rows.map(row => [
        String(row.name),
        { type: String(row.type), isNullable: row.nullable === true, hasDefault: row.has_default === true },
      ]),
    ),
    rules: new Set(rules.rows.map(({ rule }) => String(rule))),
  }
}

/** What a release that works with `before` would miss in `after`, or run into. */
function losses(before: Shape, after: Shape): string[] {
  const tables = new Set([...before.columns.keys()].map(name => name.split('.')[0]))
  const isOfOld = (name: string) => tables.has(name.split(/[.:]/)[0])
  const gone = [...before.columns].flatMap(([name, old]) => {
    const now = after.columns.get(name)
    if (now === undefined) return [`${name} is gone`]
    if (now.type !== old.type) return [`${name} is ${now.type}, and was ${old.type}`]
    if (old.isNullable && !now.isNullable) return [`${name} takes no NULL any more`]
    return old.hasDefault && !now.hasDefault ? [`${name} has no default any more`] : []
  })
  const needed = [...after.columns].flatMap(([name, { isNullable, hasDefault }]) => {
    const isNew = isOfOld(name) && !before.columns.has(name)
    return isNew && !isNullable && !hasDefault ? [`${name} has to be given`] : []
  })
  const stricter = [...after.rules].filter(rule => isOfOld(rule) && !before.rules.has(rule))
  return [...gone, ...needed, ...stricter.map(rule => `${rule} is new`)]
}

test('what was released stays as it is', async t => {
  const known = MIGRATIONS.slice(0, RELEASED.length).map(migration => [migration.name, digest(migration)])
  t.same(known, RELEASED)
})

test('a schema is only ever widened', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  async function open(): Promise<Database> {
    const db = openDatabase(databaseSettings(await server.createDatabase()), { name: 'test', onError: () => {} })
    t.teardown(() => db.close())
    return db
  }

  await t.test('by each migration that is no contraction', async t => {
    const db = await open()
    await migrate(db, 'faultline', MIGRATIONS.slice(0, 1))
    let before = await shapeOf(db)
    for (const [index, { name, worksFrom = 0 }] of MIGRATIONS.entries()) {
      await migrate(db, 'faultline', MIGRATIONS.slice(0, index + 1))
      const after = await shapeOf(db)
      if (CONTRACTIONS.includes(name)) t.ok(worksFrom > 0, `${name} says which release it needs`)
      else {
        t.same(losses(before, after), [], name)
        t.equal(worksFrom, 0, `${name} is for every release`)
      }
      before = after
    }
  })

  await t.test('what narrows it is found', async t => {
    const db = await open()
    const start: Migration = {
      name: 'sheep',
      sql: 'CREATE TABLE sheep (n int, name text DEFAULT 1, age int); INSERT INTO sheep VALUES (1, 1, 1)',
    }
    await migrate(db, 'faultline', [start])
    const before = await shapeOf(db)
    for (const [sql, loss] of [
      ['ALTER TABLE sheep DROP COLUMN age', /age is gone/],
      ['ALTER TABLE sheep RENAME COLUMN age TO years', /age is gone/],
      ['ALTER TABLE sheep ALTER COLUMN age TYPE bigint', /age is int8, and was int4/],
      ['ALTER TABLE sheep ALTER COLUMN age SET NOT NULL', /age takes no NULL/],
      ['ALTER TABLE sheep ALTER COLUMN name DROP DEFAULT', /name has no default/],
      ['TRUNCATE sheep; ALTER TABLE sheep ADD COLUMN wool text NOT NULL', /wool has to be given/],
      ['CREATE UNIQUE INDEX ON sheep (n)', /UNIQUE INDEX.* is new/],
      ['ALTER TABLE sheep ADD CHECK (n > 0)', /CHECK.* is new/],
      ['DROP TABLE sheep', /n is gone/],
    ] as const) {
      const stop = new Error('back')
      const looked = db.transaction(async tx => {
        await tx.query(sql)
        t.match(losses(before, await shapeOf({ ...db, ...tx })).join('; '), loss, sql)
        throw stop
      })
      await t.rejects(looked, stop)
    }
    const fine = 'ALTER TABLE sheep ADD COLUMN wool text NOT NULL DEFAULT 1; CREATE TABLE cows (n int PRIMARY KEY)'
    await db.query(fine)
    await db.query('CREATE INDEX ON sheep (age)')
    t.same(losses(before, await shapeOf(db)), [])
  })
})
