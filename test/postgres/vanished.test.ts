import { test } from 'tap'
import { openListener } from '../../src/postgres/listener.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { withSessionLock } from '../../src/postgres/session-lock.ts'
import { ANY_VERSION, databaseSettings, noPostgres, runAt, startPostgres } from '../helpers/postgres.ts'
import { eventually } from '../helpers/processes.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'

const HOUR_MS = 3_600_000
const AWAY = { code: 'DATABASE_UNAVAILABLE' }
const named = { name: 'vanished.test', onError: () => {} }
const { signal } = new AbortController()

test('a server that is gone without a word', { skip: noPostgres(ANY_VERSION) }, async t => {
  const [one, two] = await Promise.all([startPostgres(), startPostgres()])
  t.teardown(() => Promise.all([one.close(), two.close()]))

  /** How many connections wait for a lock, and when they began to. */
  const waiting = () =>
    runAt(one.port, `SELECT query_start::text AS since FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)

  await t.test('what waits for it is cut when another one answers at its address', async t => {
    const proxy = await startTcpProxy(one.port)
    t.teardown(() => proxy.close())
    const url = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
    const settings = databaseSettings(url, { statementTimeoutMs: HOUR_MS })
    const db = openDatabase(settings, named)
    t.teardown(() => db.close())
    let looks = 0
    const listener = openListener(db, settings, named)
    t.teardown(() => listener.close())
    listener.on('news', () => looks++)
    t.ok(await eventually(() => looks === 1))

    const lock = { key: 'one', name: 'vanished.test', signal }
    const held = Promise.withResolvers<undefined>()
    const taken = Promise.withResolvers<undefined>()
    const first = withSessionLock(settings, lock, () => {
      taken.resolve(undefined)
      return held.promise
    })
    await taken.promise
    const second = withSessionLock(settings, lock, async () => 'never')
    const sleeps = db.query('SELECT pg_sleep(3600)')
    const refused = [t.rejects(second, AWAY), t.rejects(sleeps, AWAY)]
    t.ok(await eventually(async () => (await waiting()).length === 1))
    proxy.to = two.port
    await Promise.all(refused)
    const { rows } = await db.query("SELECT current_setting('port')::int AS port")
    t.same(rows, [{ port: two.port }])
    held.resolve(undefined)
    await first
  })

  await t.test('whoever waits for a lock learns of it, too', async t => {
    const proxy = await startTcpProxy(one.port)
    t.teardown(() => proxy.close())
    const url = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
    const settings = databaseSettings(url, { statementTimeoutMs: 500, connectTimeoutMs: 2_000 })
    const direct = databaseSettings(`postgres://postgres@127.0.0.1:${one.port}/postgres`)
    const lock = { key: 'two', name: 'vanished.test', signal }
    const held = Promise.withResolvers<undefined>()
    const taken = Promise.withResolvers<undefined>()
    const first = withSessionLock(direct, lock, () => {
      taken.resolve(undefined)
      return held.promise
    })
    await taken.promise
    const later = withSessionLock(settings, lock, async () => 'my turn')
    t.ok(await eventually(async () => (await waiting()).length === 1))
    const [{ since } = {}] = await waiting()
    const isAgain = async () => {
      const rows = await waiting()
      return rows.length === 1 && rows[0]?.since !== since
    }
    t.ok(await eventually(isAgain), 'it waits longer than one statement may take')
    const never = t.rejects(
      withSessionLock(settings, lock, async () => 'never'),
      AWAY,
    )
    t.ok(await eventually(async () => (await waiting()).length === 2))
    held.resolve(undefined)
    await first
    t.equal(await later, 'my turn')
    proxy.mode = 'swallow'
    await never
  })
})

test('a replica that is gone without a word', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const proxy = await startTcpProxy(server.port)
  t.teardown(() => proxy.close())
  const [url, copy] = [await server.createDatabase(), await server.createDatabase()]
  for (const one of [url, copy]) {
    const settings = databaseSettings(one)
    const db = openDatabase(settings, named)
    await migrate(db, settings.schema)
    await db.query(
      `INSERT INTO nodes (name, instance, roles, version, schema_version, load, heartbeat_at)
       VALUES ('one', gen_random_uuid(), '{}', '1', 1, '{}', now() + interval '1 hour')`,
    )
    await db.close()
  }
  const readUrl = copy.replace(`:${server.port}/`, `:${proxy.port}/`)
  const db = openDatabase(databaseSettings(url, { readUrl, statementTimeoutMs: HOUR_MS }), named)
  t.teardown(() => db.close())
  const answers = async () => (await db.reads.query('SELECT current_database() AS name')).rows[0]?.name
  t.ok(await eventually(async () => copy.endsWith(String(await answers()))), 'the replica answers lists')
  proxy.mode = 'swallow'
  t.ok(url.endsWith(String(await answers())), 'the primary answers what the replica was asked')
})
