import { test } from 'tap'
import type { Queryable } from '../../src/postgres/database.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import {
  databaseSettings,
  noPostgres,
  openTestDatabase,
  POSTGRES_VERSIONS,
  startPostgres,
} from '../helpers/postgres.ts'

for (const version of POSTGRES_VERSIONS) {
  test(`PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version)
    t.teardown(() => server.close())
    const url = await server.createDatabase()
    const db = openDatabase(databaseSettings(url), { name: 'pool.test', onError: () => {} })
    t.teardown(() => db.close())
    await db.query('CREATE SCHEMA faultline')
    await db.query('CREATE TABLE counts (name text PRIMARY KEY, n bigint NOT NULL)')

    await t.test('numbers, times and bytes come back as the port says', async t => {
      const { rows, count } = await db.query(
        `SELECT 9007199254740991::int8 AS n, 1.5::numeric AS d, '2026-01-02T03:04:05.678Z'::timestamptz AS at,
           decode('00ff', 'hex') AS b, null::text AS none`,
      )
      t.equal(count, 1)
      t.same(rows, [
        { n: 9007199254740991, d: 1.5, at: '2026-01-02T03:04:05.678Z', b: Buffer.from([0, 255]), none: null },
      ])
    })

    await t.test('a transaction is written as a whole or not at all', async t => {
      const failed = db.transaction(async tx => {
        await tx.query("INSERT INTO counts VALUES ('a', 1)")
        throw new Error('no')
      })
      await t.rejects(failed, { message: 'no' })
      t.equal((await db.query('SELECT * FROM counts')).count, 0)
      t.equal(await db.transaction(async tx => (await tx.query("INSERT INTO counts VALUES ('a', 1)")).count), 1)
      t.same((await db.query('SELECT n FROM counts')).rows, [{ n: 1 }])
    })

    await t.test('a transaction that was given up for another is run again', async t => {
      await db.query("INSERT INTO counts VALUES ('x', 0), ('y', 0)")
      const together = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
      let runs = 0
      const add = (first: string, second: string, own: 0 | 1) =>
        db.transaction(async tx => {
          runs++
          await tx.query('UPDATE counts SET n = n + 1 WHERE name = $1', [first])
          together[own]?.resolve(undefined)
          await together[1 - own]?.promise
          await tx.query('UPDATE counts SET n = n + 1 WHERE name = $1', [second])
        })
      await Promise.all([add('x', 'y', 0), add('y', 'x', 1)])
      t.same((await db.query("SELECT n FROM counts WHERE name IN ('x', 'y')")).rows, [{ n: 2 }, { n: 2 }])
      t.ok(runs >= 3, 'one was run again, or both where both saw the deadlock at once')
    })

    await t.test('what comes often is planned once, and anew when a migration changed its columns', async t => {
      await db.query('CREATE TABLE things (id int PRIMARY KEY)')
      await db.query('INSERT INTO things VALUES (1)')
      const ask = (to: Queryable) => to.query('SELECT * FROM things WHERE id = $1', [1])
      const isPrepared = async (tx: Queryable) =>
        (await tx.query("SELECT FROM pg_prepared_statements WHERE statement LIKE '%FROM things%'")).count > 0
      await db.transaction(async tx => {
        for (let i = 0; i < 5; i++) t.same((await ask(tx)).rows, [{ id: 1 }])
        t.equal(await isPrepared(tx), true)
      })
      await db.query("ALTER TABLE things ADD COLUMN more text NOT NULL DEFAULT 'x'")
      t.same((await db.transaction(ask)).rows, [{ id: 1, more: 'x' }], 'within a transaction')
      await db.query('ALTER TABLE things DROP COLUMN more')
      t.same((await ask(db)).rows, [{ id: 1 }], 'alone')
    })

    await t.test('a statement alone is sent again when its columns changed', async t => {
      const ask = () => db.query('SELECT * FROM things WHERE id > $1', [0])
      for (let i = 0; i < 5; i++) await ask()
      await db.query("ALTER TABLE things ADD COLUMN more text NOT NULL DEFAULT 'x'")
      t.same((await ask()).rows, [{ id: 1, more: 'x' }])
    })

    await t.test('a transaction that does nothing is ended by the database', async t => {
      const { rows } = await db.query('SHOW idle_in_transaction_session_timeout')
      t.same(rows, [{ idle_in_transaction_session_timeout: '3s' }])
    })

    await t.test('while the database is away that is said, and afterwards all works again', async t => {
      await server.crash()
      await t.rejects(db.query('SELECT 1'), { code: 'DATABASE_UNAVAILABLE' })
      await t.rejects(
        db.transaction(tx => tx.query('SELECT 1')),
        { code: 'DATABASE_UNAVAILABLE' },
      )
      await server.start()
      t.same((await db.query('SELECT 1 AS one')).rows, [{ one: 1 }])
    })
  })
}

test('errors of statements stay what they are', { skip: noPostgres(18) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const db = await openTestDatabase(t, server)
  await t.rejects(db.query('SELECT nonsense'), { code: '42703' })
})
