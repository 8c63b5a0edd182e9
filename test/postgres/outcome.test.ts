import { test } from 'tap'
import { repeatable, UnknownOutcomeError } from '../../src/core/database-away.ts'
import type { Queryable } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { databaseSettings, noPostgres, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'

for (const version of POSTGRES_VERSIONS) {
  test(`a COMMIT whose answer is lost, PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version, { durable: true })
    t.teardown(() => server.close())
    const proxy = await startTcpProxy(server.port)
    t.teardown(() => proxy.close())
    const url = new URL(await server.createDatabase())
    url.port = String(proxy.port)
    const db = openDatabase(databaseSettings(url.href), { name: 'outcome.test', onError: () => {} })
    t.teardown(() => db.close())
    await migrate(db, 'faultline')
    await db.query('CREATE TABLE written (name text)')
    const write = (name: string) => {
      const work = db.transaction(async tx => {
        await tx.query('INSERT INTO written VALUES ($1)', [name])
        return `wrote ${name}`
      })
      proxy.mode = 'pass'
      return work
    }
    const written = async () => (await db.query('SELECT name FROM written ORDER BY name')).rows.map(({ name }) => name)

    await t.test('and which is carried out late, counts', async t => {
      proxy.mode = 'late-commit'
      const losses = proxy.losses
      const work = db.transaction(async tx => {
        await tx.query("INSERT INTO written VALUES ('late')")
        return 'wrote late'
      })
      t.equal(await work, 'wrote late')
      t.equal(proxy.losses, losses + 1)
      proxy.mode = 'pass'
      t.same(await written(), ['late'])
    })

    await t.test('and which never arrives, was nothing', async t => {
      proxy.mode = 'no-commit'
      await t.rejects(
        db.transaction(tx => tx.query("INSERT INTO written VALUES ('never')")),
        { code: 'DATABASE_UNAVAILABLE' },
      )
      proxy.mode = 'pass'
      t.same(await written(), ['late'])
      t.equal(await write('b'), 'wrote b')
    })

    await t.test('is asked for once the database is back, and nothing is written twice', async t => {
      let calls = 0
      const again = repeatable(() => {
        calls++
        return db.transaction(async tx => {
          await tx.query("INSERT INTO written VALUES ('once')")
          return calls
        })
      })
      await db.query('SELECT 1')
      proxy.mode = 'late-commit'
      proxy.lateMs = 0
      const failed = again().catch(async (error: unknown) => error)
      while (proxy.losses < 3) await new Promise(setImmediate)
      await server.crash()
      const error = await failed
      await server.start()
      proxy.mode = 'pass'
      if (error instanceof UnknownOutcomeError) t.equal(await again(), calls)
      t.same(
        (await written()).filter(name => name === 'once'),
        ['once'],
      )
    })
  })
}

for (const version of POSTGRES_VERSIONS) {
  test(
    `a number of a lost transaction that is given again, PostgreSQL ${version}`,
    {
      skip: noPostgres(version),
    },
    async t => {
      // what is not committed does not reach the disk before the crash
      const server = await startPostgres(version, { durable: true, settings: { wal_writer_delay: '10s' } })
      t.teardown(() => server.close())
      const settings = databaseSettings(await server.createDatabase())
      const db = openDatabase(settings, { name: 'outcome.test', onError: () => {} })
      t.teardown(() => db.close())
      await migrate(db, settings.schema)
      await db.query('CREATE TABLE written (name text)')
      const numberOf = async (to: Queryable) =>
        Number((await to.query('SELECT pg_current_xact_id()::text AS n')).rows[0]?.n)

      let lost = 0
      const error = await db
        .transaction(async tx => {
          await tx.query("INSERT INTO written VALUES ('lost')")
          lost = await numberOf(tx)
          await server.crash()
        })
        .catch((error: unknown) => error)
      if (!(error instanceof UnknownOutcomeError)) throw error
      await server.start()
      let last = 0
      while (last < lost) last = await numberOf(db)
      t.equal(last, lost, 'another transaction has its number')
      t.equal(await error.settle(), null)
      t.same((await db.query('SELECT name FROM written')).rows, [])
    },
  )
}
