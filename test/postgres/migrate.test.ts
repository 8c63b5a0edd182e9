import { test, type Test } from 'tap'
import type { Database } from '../../src/postgres/database.ts'
import { migrate, requireSchema } from '../../src/postgres/migrate.ts'
import type { Migration } from '../../src/postgres/migrations/migration.ts'
import { MIGRATIONS } from '../../src/postgres/migrations/migrations.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import {
  databaseSettings,
  noPostgres,
  POSTGRES_VERSIONS,
  startPostgres,
  type TestPostgres,
} from '../helpers/postgres.ts'

const SHEEP: Migration = { name: 'sheep', sql: 'CREATE TABLE sheep (n int); INSERT INTO sheep VALUES (1)' }
const WOOL: Migration = { name: 'wool', sql: 'ALTER TABLE sheep ADD COLUMN wool text' }
const NO_SHEEP: Migration = { name: 'no sheep', sql: 'DROP TABLE sheep', worksFrom: 2 }

async function open(t: Test, server: TestPostgres, url?: string): Promise<Database> {
  const settings = databaseSettings(url ?? (await server.createDatabase()))
  const db = openDatabase(settings, { name: 'migrate.test', onError: () => {} })
  t.teardown(() => db.close())
  return db
}

for (const version of POSTGRES_VERSIONS) {
  test(`PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version)
    t.teardown(() => server.close())

    await t.test('each version is applied once, and only what is new', async t => {
      const db = await open(t, server)
      t.same(await migrate(db, 'faultline', [SHEEP]), { version: 1, newest: 1, applied: ['sheep'], pending: [] })
      t.same(await migrate(db, 'faultline', [SHEEP, WOOL]), { version: 2, newest: 2, applied: ['wool'], pending: [] })
      t.same(await migrate(db, 'faultline', [SHEEP, WOOL]), { version: 2, newest: 2, applied: [], pending: [] })
      t.same((await db.query('SELECT * FROM sheep')).rows, [{ n: 1, wool: null }])
    })

    await t.test('of versions that cannot be applied nothing stays', async t => {
      const db = await open(t, server)
      await t.rejects(migrate(db, 'faultline', [SHEEP, { name: 'broken', sql: 'SELECT nonsense' }]), { code: '42703' })
      t.same(await migrate(db, 'faultline', [SHEEP]), { version: 1, newest: 1, applied: ['sheep'], pending: [] })
    })

    await t.test('nodes that start at once apply it once', async t => {
      const url = await server.createDatabase()
      const nodes = await Promise.all(Array.from({ length: 6 }, () => open(t, server, url)))
      const states = await Promise.all(nodes.map(db => migrate(db, 'faultline', [SHEEP, WOOL])))
      t.same(states.flatMap(({ applied }) => applied).sort(), ['sheep', 'wool'])
    })

    await t.test(
      'the release before goes on beside a wider schema, and not beside one without what it needs',
      async t => {
        const db = await open(t, server)
        await migrate(db, 'faultline', [SHEEP, WOOL])
        t.same(await migrate(db, 'faultline', [SHEEP]), { version: 2, newest: 1, applied: [], pending: [] })
        await migrate(db, 'faultline', [SHEEP, WOOL, NO_SHEEP])
        await t.rejects(migrate(db, 'faultline', [SHEEP]), { code: 'CONFIG_INVALID', message: /version 3.*version 1/ })
      },
    )

    await t.test('who does not migrate says what to run', async t => {
      const db = await open(t, server)
      if (MIGRATIONS.length > 0) {
        await t.rejects(requireSchema(db, 'faultline'), { code: 'CONFIG_INVALID', fix: /faultline migrate/ })
      }
      await migrate(db, 'faultline')
      t.match(await requireSchema(db, 'faultline'), { version: MIGRATIONS.length, applied: [] })
    })
  })
}
