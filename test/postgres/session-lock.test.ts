import { test } from 'tap'
import { withSessionLock } from '../../src/postgres/session-lock.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'

test('work under one name is done by one node at a time', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const settings = databaseSettings(await server.createDatabase())
  const db = openDatabase(settings, { name: 'looks', onError: () => {} })
  t.teardown(() => db.close())
  const { signal } = new AbortController()
  const take = <T>(key: string, work: () => Promise<T>, stop = signal) =>
    withSessionLock(settings, { key, name: 'node', signal: stop }, work)
  /** Resolves when so many wait for a lock. */
  async function untilWaiting(count: number): Promise<void> {
    for (;;) {
      const { rows } = await db.query(
        "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
      )
      if (rows[0]?.n === count) return
    }
  }

  await t.test('the others wait for it, and those of another name do not', async t => {
    const order: string[] = []
    const gate = Promise.withResolvers<undefined>()
    const entered = Promise.withResolvers<undefined>()
    const first = take('shop', async () => {
      entered.resolve(undefined)
      await gate.promise
      order.push('first')
    })
    await entered.promise
    const second = take('shop', async () => order.push('second'))
    await untilWaiting(1)
    await take('other', async () => order.push('other'))
    gate.resolve(undefined)
    await Promise.all([first, second])
    t.same(order, ['other', 'first', 'second'])
  })

  await t.test('one that is cancelled waits no more, and one that fails gives the lock up', async t => {
    const stop = new AbortController()
    const gate = Promise.withResolvers<undefined>()
    const entered = Promise.withResolvers<undefined>()
    const holder = take('shop', async () => {
      entered.resolve(undefined)
      await gate.promise
      throw new Error('broke')
    })
    await entered.promise
    const waiting = take('shop', async () => 'never', stop.signal)
    await untilWaiting(1)
    stop.abort(new Error('stopped'))
    await t.rejects(waiting, { message: 'stopped' })
    gate.resolve(undefined)
    await t.rejects(holder, { message: 'broke' })
    t.equal(await take('shop', async () => 'free'), 'free')
  })

  await t.test('a database that is away is said to be', async t => {
    await server.crash()
    await t.rejects(
      take('shop', async () => 1),
      { code: 'DATABASE_UNAVAILABLE' },
    )
  })
})
