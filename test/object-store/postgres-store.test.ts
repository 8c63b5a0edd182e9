import { randomBytes } from 'node:crypto'
import { test } from 'tap'
import { openPostgresStore } from '../../src/object-store/postgres-store.ts'
import { contentOf, objectStoreContract } from '../contracts/object-store.ts'
import { noPostgres, openTestDatabase, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'

const never = new AbortController().signal
const MIB = 1_048_576

for (const version of POSTGRES_VERSIONS) {
  test(`the contract of object stores, in PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version)
    t.teardown(() => server.close())
    objectStoreContract(t, async t => openPostgresStore(await openTestDatabase(t, server)))

    t.test('an object that is replaced or deleted leaves no parts', async t => {
      const db = await openTestDatabase(t, server)
      const store = openPostgresStore(db)
      const parts = async () => Number((await db.query('SELECT count(*) AS n FROM object_parts')).rows[0]?.n)
      await store.put('a', randomBytes(3 * MIB + 1), never)
      t.equal(await parts(), 4)
      await store.put('a', randomBytes(2 * MIB), never)
      t.equal(await parts(), 2)
      await store.delete('a', never)
      t.equal(await parts(), 0)
    })

    t.test('what puts that were cut off left goes after a day, and not before', async t => {
      const db = await openTestDatabase(t, server)
      const store = openPostgresStore(db)
      await store.put('whole', randomBytes(10), never)
      const add = 'INSERT INTO object_parts (upload, part, content, added_at) VALUES ($1, 1, $2, now() - $3::interval)'
      await db.query(add, ['00000000-0000-4000-8000-000000000001', Buffer.of(1), '25 hours'])
      await db.query(add, ['00000000-0000-4000-8000-000000000002', Buffer.of(1), '23 hours'])
      await db.query(
        `UPDATE object_parts SET added_at = added_at - interval '3 days' WHERE part > 1 OR length(content) > 1`,
      )
      for await (const page of store.list('', never)) t.equal(page.length, 1)
      t.equal((await db.query('SELECT upload FROM object_parts')).count, 2)
      t.equal((await contentOf(store, 'whole'))?.length, 10)
    })

    t.test('an object that is replaced while it is read is no mix of both', async t => {
      const store = openPostgresStore(await openTestDatabase(t, server))
      await store.put('a', Buffer.alloc(3 * MIB, 1), never)
      const body = await store.get('a', never)
      const pieces = body?.content[Symbol.asyncIterator]()
      t.equal((await pieces?.next())?.value?.[0], 1)
      await store.put('a', Buffer.alloc(3 * MIB, 2), never)
      await t.rejects(async () => pieces?.next(), { code: 'OBJECT_STORE_UNAVAILABLE', isTransient: true })
    })

    t.test('a database that is away is a store that is away', async t => {
      const own = await startPostgres(version, { durable: true })
      t.teardown(() => own.close())
      const store = openPostgresStore(await openTestDatabase(t, own))
      await store.put('a', Buffer.from('x'), never)
      await own.crash()
      const away = { code: 'OBJECT_STORE_UNAVAILABLE', isTransient: true, message: /The database cannot be used/ }
      await t.rejects(store.get('a', never), away)
      await t.rejects(store.put('b', randomBytes(3 * MIB), never), away)
      await own.start()
      t.equal(await store.head('b', never), null)
      await store.put('b', Buffer.from('y'), never)
      t.equal(String(await contentOf(store, 'b')), 'y')
    })
  })
}
