import { test, type Test } from 'tap'
import type { Database } from '../../src/postgres/database.ts'
import { openListener } from '../../src/postgres/listener.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { databaseSettings, noPostgres, POSTGRES_VERSIONS, runAt, startPair } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'

function open(t: Test, url: string): Database {
  const db = openDatabase(databaseSettings(url), { name: 'hosts.test', onError: () => {} })
  t.teardown(() => db.close())
  return db
}

/** The port of the server that answers. */
const portOf = async (db: Database): Promise<unknown> =>
  (await db.query("SELECT current_setting('port')::int AS port")).rows[0]?.port

for (const version of POSTGRES_VERSIONS) {
  test(`a primary and a standby, PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const pair = await startPair(version)
    t.teardown(() => pair.close())
    const { primary, standby } = pair
    const url = await pair.createDatabase()
    const { pathname } = new URL(`postgres://one${url.slice(url.lastIndexOf('/'))}`)
    const at = (...servers: Array<{ port: number }>) =>
      `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}${pathname}`

    await t.test('the one that takes writes is found, whichever comes first', async t => {
      t.equal(await portOf(open(t, at(primary, standby))), primary.port)
      t.equal(await portOf(open(t, at(standby, primary))), primary.port)
      t.equal(await portOf(open(t, at({ port: 1 }, standby, primary))), primary.port, 'one that is away is passed by')
    })

    await t.test('another kind of server may be asked for', async t => {
      for (const [wanted, port] of [
        ['any', primary.port],
        ['primary', primary.port],
        ['read-write', primary.port],
        ['standby', standby.port],
        ['read-only', standby.port],
        ['prefer-standby', standby.port],
      ] as const) {
        t.equal(await portOf(open(t, `${at(primary, standby)}?target_session_attrs=${wanted}`)), port, wanted)
      }
      t.equal(await portOf(open(t, `${at(primary)}?target_session_attrs=prefer-standby`)), primary.port)
      await t.rejects(portOf(open(t, `${at(standby)}?target_session_attrs=primary`)), { code: 'DATABASE_UNAVAILABLE' })
    })

    await t.test('one that takes no writes counts as away', async t => {
      const db = open(t, at(standby))
      t.equal(await portOf(db), standby.port)
      await t.rejects(db.query('CREATE TABLE no (n int)'), { code: 'DATABASE_UNAVAILABLE', message: /25006/ })
      await t.rejects(
        db.transaction(tx => tx.query('SELECT 1')),
        { code: 'DATABASE_UNAVAILABLE' },
      )
    })

    await t.test('one that is set not to take them is left, and found again', async t => {
      const db = open(t, at(primary, standby))
      await db.query('CREATE SCHEMA faultline')
      const setReadOnly = async (setting: string) => {
        await runAt(primary.port, `SET default_transaction_read_only = off`, `ALTER SYSTEM ${setting}`)
        await runAt(primary.port, 'SELECT pg_reload_conf()')
      }
      const isRefused = async (): Promise<boolean> => {
        try {
          await db.query('CREATE TABLE IF NOT EXISTS made (n int)')
          return false
        } catch (error) {
          return (error as { code?: string }).code === 'DATABASE_UNAVAILABLE'
        }
      }
      t.notOk(await isRefused())
      await setReadOnly("SET default_transaction_read_only = 'on'")
      t.ok(await eventually(isRefused))
      await setReadOnly('RESET default_transaction_read_only')
      t.ok(await eventually(async () => !(await isRefused())))
    })

    await t.test('when the standby takes over, all go there, and nobody goes back', async t => {
      const settings = databaseSettings(at(primary, standby))
      const db = openDatabase(settings, { name: 'hosts.test', onError: () => {} })
      t.teardown(() => db.close())
      await migrate(db, settings.schema)
      const listener = openListener(db, settings, { name: 'hosts.test', onError: () => {} })
      t.teardown(() => listener.close())
      let looks = 0
      const heard: string[] = []
      listener.on('news', items => {
        if (items === null) looks++
        else heard.push(...items)
      })
      t.ok(await eventually(() => looks === 1))

      await primary.crash()
      await t.rejects(portOf(db), { code: 'DATABASE_UNAVAILABLE' })
      await t.rejects(portOf(db), { code: 'DATABASE_UNAVAILABLE' }, 'a standby that still follows is no primary')
      await pair.promote()
      t.equal(await portOf(db), standby.port)
      t.ok(await eventually(() => looks === 2), 'who listens looks at what was missed')
      listener.notify('news', 'here')
      t.ok(await eventually(() => heard.includes('here')))

      await primary.start()
      t.equal(await portOf(open(t, at(primary, standby))), standby.port, 'the one that was replaced is left alone')
      const [{ n } = {}] = await runAt(
        primary.port,
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'hosts.test'`,
      )
      t.equal(n, 0)
    })
  })
}
