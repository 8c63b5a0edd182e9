import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { BlobStore, type BlobRef } from '../../src/object-store/blobs/blob-store.ts'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import type { ObjectStore } from '../../src/object-store/object-store.ts'
import type { Database } from '../../src/postgres/database.ts'
import { createBlobUses } from '../../src/replication/blob-uses.ts'
import { BLOB_GRACE_MS, collectBlobs } from '../../src/replication/collect-blobs.ts'
import { noPostgres, openTestDatabase, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'

const never = new AbortController().signal
const HOUR_MS = 3_600_000

function world(t: Test, db: Database) {
  const clock = { now: Date.now() }
  const now = () => new Date(clock.now)
  const objects = openFolderStore(join(t.testdir(), 'objects'))
  let gate = Promise.resolve()
  const deletions: string[] = []
  const watched: ObjectStore = {
    ...objects,
    async delete(key, signal) {
      deletions.push(key)
      await gate
      signal.throwIfAborted()
      await objects.delete(key, signal)
    },
  }
  const blobs = new BlobStore(watched)
  const uses = createBlobUses({ db, blobs, graceMs: BLOB_GRACE_MS, now })
  return {
    ...{ blobs, uses, deletions, clock },
    put: (text: string) => blobs.putBytes(Buffer.from(text), never),
    collect: (signal = never) => collectBlobs({ blobs, uses, now, signal }),
    later: (hours: number) => {
      clock.now += hours * HOUR_MS
    },
    /** Holds up deletions until it is called. */
    hold: () => {
      const held = Promise.withResolvers<void>()
      gate = held.promise
      return held.resolve
    },
    async there(refs: readonly BlobRef[]): Promise<boolean[]> {
      return await Promise.all(refs.map(ref => blobs.has(ref, never)))
    },
    /** As a publication does it: named, put, relied on. */
    async name(owner: string, texts: readonly string[]): Promise<BlobRef[]> {
      const refs = await Promise.all(texts.map(async text => await blobs.putBytes(Buffer.from(text), never)))
      const missing = await uses.need(owner, refs, never)
      for (const text of texts) await blobs.putBytes(Buffer.from(text), never)
      await uses.stored(owner, missing)
      await uses.keepOnly(db, owner, refs)
      return refs
    },
  }
}

for (const version of POSTGRES_VERSIONS) {
  test(`what names blobs, in PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const server = await startPostgres(version)
    t.teardown(() => server.close())
    const fact = (name: string, run: (t: Test, db: Database) => Promise<void>) =>
      t.test(name, async t => run(t, await openTestDatabase(t, server)))

    await fact('a blob that is named is kept, one that nobody names goes after a day', async (t, db) => {
      const w = world(t, db)
      const named = await w.name('project/shop', ['a', 'b'])
      const alone = [await w.put('alone')]
      w.later(23)
      t.same(await w.collect(), { blobs: 3, deleted: 0 })
      w.later(2)
      t.same(await w.collect(), { blobs: 3, deleted: 1 })
      t.same(await w.there([...named, ...alone]), [true, true, false])
      w.later(24 * 365)
      t.same(await w.collect(), { blobs: 2, deleted: 0 })
    })

    await fact('what an owner gave up is kept for a day, for readers of what was there before', async (t, db) => {
      const w = world(t, db)
      const former = await w.name('project/shop', ['a', 'shared'])
      w.later(100)
      const present = await w.name('project/shop', ['shared', 'new'])
      t.same(await w.collect(), { blobs: 3, deleted: 0 }, 'a node may be fetching the former ones right now')
      w.later(23)
      await w.collect()
      t.same(await w.there(former), [true, true])
      w.later(2)
      await w.collect()
      t.same(await w.there(former), [false, true])
      t.same(await w.there(present), [true, true])
    })

    await fact('a blob that two owners need stays until the last one gave it up', async (t, db) => {
      const w = world(t, db)
      const refs = await w.name('project/one', ['x'])
      await w.name('project/two', ['x'])
      await w.uses.keepOnly(db, 'project/one', [])
      w.later(48)
      await w.collect()
      t.same(await w.there(refs), [true])
      await w.uses.keepOnly(db, 'project/two', [])
      w.later(48)
      await w.collect()
      t.same(await w.there(refs), [false])
      t.equal((await db.query('SELECT FROM blob_uses')).count, 0, 'nothing is remembered of it')
    })

    await fact('what is to be put need not be looked for again once it was stored', async (t, db) => {
      const w = world(t, db)
      const refs = [await w.put('a'), await w.put('b')]
      t.same(await w.uses.need('project/shop', refs, never), refs, 'at first nothing is known')
      t.same(await w.uses.need('project/shop', refs, never), refs, 'nor when it was never said to be stored')
      await w.uses.stored('project/shop', refs.slice(0, 1))
      t.same(await w.uses.need('project/shop', refs, never), refs.slice(1))
      t.same(await w.uses.need('project/other', refs, never), refs)
      await w.uses.lost(refs[0]?.sha256 ?? '')
      t.same(await w.uses.need('project/shop', refs, never), refs, 'what the store lost is to be put again')
    })

    await fact('what is needed again on its last day stays', async (t, db) => {
      const w = world(t, db)
      const refs = await w.name('project/shop', ['a'])
      await w.uses.keepOnly(db, 'project/shop', [])
      w.later(48)
      t.same(await w.uses.need('project/shop', refs, never), [], 'it is known to be there')
      await w.collect()
      t.same(await w.there(refs), [true])
    })

    await fact('who needs a blob that is being deleted waits until it is gone, and puts it again', async (t, db) => {
      const w = world(t, db)
      const refs = [await w.put('a')]
      w.later(48)
      const release = w.hold()
      const collecting = w.collect()
      while (w.deletions.length === 0) await setImmediate()
      let isNamed = false
      const needing = w.uses.need('project/shop', refs, never).then(missing => {
        isNamed = true
        return missing
      })
      // it is named, and waits
      while ((await db.query('SELECT FROM blob_uses')).count === 0) await setImmediate()
      t.notOk(isNamed)
      release()
      t.same(await needing, refs)
      await collecting
      await w.put('a')
      await w.uses.stored('project/shop', refs)
      w.later(48)
      await w.collect()
      t.same(await w.there(refs), [true])
    })

    await fact('two collections at once do each other no harm', async (t, db) => {
      const w = world(t, db)
      const named = await w.name('project/shop', ['a', 'b'])
      const alone = await Promise.all(Array.from({ length: 30 }, (_, i) => w.put(`blob ${i}`)))
      w.later(48)
      await Promise.all([w.collect(), w.collect()])
      t.same(await w.there(named), [true, true])
      t.notOk((await w.there(alone)).includes(true))
      t.equal((await db.query('SELECT FROM doomed_blobs')).count, 0)
    })

    await fact('what a node that died was deleting is deleted by another', async (t, db) => {
      const w = world(t, db)
      const refs = [await w.put('a'), await w.put('b')]
      w.later(48)
      const stopped = AbortSignal.abort(new Error('killed'))
      await t.rejects(
        w.uses.collect(
          refs.map(({ sha256 }) => sha256),
          stopped,
        ),
        /killed/,
      )
      t.equal((await db.query('SELECT FROM doomed_blobs')).count, 2)
      t.same(await w.collect(), { blobs: 2, deleted: 0 }, 'not at once: it may still be at it')
      w.later(0.25)
      const [first] = refs
      t.same(await w.uses.need('project/shop', first === undefined ? [] : [first], never), [first])
      t.same(await w.there(refs), [false, true], 'who needs one goes on with the deletion')
      t.same(await w.collect(), { blobs: 1, deleted: 1 })
      t.equal((await db.query('SELECT FROM doomed_blobs')).count, 0)
    })
  })
}
