import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { BlobStore } from '../../src/object-store/blobs/blob-store.ts'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import { ObjectStoreError, type ObjectStore } from '../../src/object-store/object-store.ts'
import type { Database } from '../../src/postgres/database.ts'
import { createBlobUses } from '../../src/replication/blob-uses.ts'
import { BLOB_GRACE_MS, collectBlobs } from '../../src/replication/collect-blobs.ts'
import { createSharedGenerations, type GenerationTransport } from '../../src/replication/generations.ts'
import { generationTransport } from '../../src/services/generation-transport.ts'
import { openStore } from '../../src/vecstore/store.ts'
import { withoutRecipes, type GenerationDescription } from '../../src/vecstore/transport/description.ts'
import { createShopClone, indexShop } from '../helpers/indexed-shop.ts'
import { noPostgres, openTestDatabase, ANY_VERSION, startPostgres } from '../helpers/postgres.ts'
import { searchWords } from '../helpers/search-words.ts'

const never = new AbortController().signal

/** Nodes with folders of their own, one object store and one database with one job, number 1 in its first attempt. */
async function cluster(t: Test, db: Database) {
  const top = t.testdir()
  // the columns that the fence looks at
  await db.query('DROP TABLE IF EXISTS jobs CASCADE')
  await db.query('CREATE TABLE jobs (seq bigint PRIMARY KEY, attempt int NOT NULL, status text NOT NULL)')
  await db.query(`INSERT INTO jobs VALUES (1, 1, 'running')`)
  const objects = openFolderStore(join(top, 'objects'))
  const state = { isAway: false, gets: 0, later: 0, gate: Promise.resolve() }
  const away = () => Promise.reject(new ObjectStoreError('The object store is away.', { isTransient: true }))
  const watched: ObjectStore = {
    ...objects,
    async get(key, signal) {
      state.gets++
      await state.gate
      signal.throwIfAborted()
      return state.isAway ? await away() : await objects.get(key, signal)
    },
    put: (key, content, signal) => (state.isAway ? away() : objects.put(key, content, signal)),
    head: (key, signal) => (state.isAway ? away() : objects.head(key, signal)),
  }
  const blobs = new BlobStore(watched)
  const now = () => new Date(Date.now() + state.later)
  const uses = createBlobUses({ db, blobs, graceMs: BLOB_GRACE_MS, now })
  const repository = createShopClone(join(top, 'clones'), {
    'src/cart.js': 'export function cartTotal (items) {\n  return items.length\n}\n',
    'src/user.js': 'export function parseUser (text) {\n  return JSON.parse(text)\n}\n',
  })
  const openNode = (name: string) => {
    const root = join(top, name)
    const store = openStore(root, { minFreeBytes: 0 })
    const transport = generationTransport(root, store)
    return {
      root,
      store,
      generations: createSharedGenerations({ db, blobs, uses, transport }),
      index: (commit: string) => indexShop({ store, repository, commit, embedder: createLocalEmbedder() }),
      /** Files that define a name. */
      async search(name: string): Promise<string[]> {
        await using reader = await store.openReader('shop')
        return reader.definitionsOf(name).map(({ path }) => path)
      },
      /** All that a search for words finds. */
      async found(words: string): Promise<unknown> {
        await using reader = await store.openReader('shop')
        return searchWords(reader, words, 10)
      },
    }
  }
  return {
    ...{ db, top, state, blobs, uses, repository, openNode },
    collect: () => collectBlobs({ blobs, uses, now, signal: never }),
    one: openNode('one'),
    two: openNode('two'),
    claim: () => db.query('UPDATE jobs SET attempt = attempt + 1'),
    publisher: (node: string, attempt = 1) => ({ seq: 1, attempt, node }),
  }
}

test('generations that nodes share', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  type Cluster = Awaited<ReturnType<typeof cluster>>
  const fact = (name: string, run: (t: Test, c: Cluster) => Promise<void>) =>
    t.test(name, async t => run(t, await cluster(t, await openTestDatabase(t, server))))

  const tip = ({ repository }: Cluster) => repository.git('rev-parse', 'main').trim()

  await fact('what one node published another one answers from', async (t, c) => {
    t.equal(await c.two.generations.published('shop'), null)
    t.equal(await c.two.generations.restore('shop', never), 'none')
    await c.one.index(tip(c))
    const options = { summary: { files: 2 }, signal: never }
    const published = await c.one.generations.publish('shop', c.publisher('one'), options)
    t.match(published, { outcome: 'published', generation: Number, blobs: Number, sent: Number })
    t.match(await c.two.generations.published('SHOP'), { project: 'shop', node: 'one', summary: { files: 2 } })
    t.equal(await c.two.generations.restore('shop', never), 'restored')
    t.same(await c.two.search('cartTotal'), ['src/cart.js'])
    t.same(await c.two.found('parse the items of a cart'), await c.one.found('parse the items of a cart'))
    const { gets } = c.state
    t.equal(await c.two.generations.restore('shop', never), 'current')
    t.equal(await c.one.generations.restore('shop', never), 'current', 'the publisher has it already')
    t.equal(c.state.gets, gets, 'nothing was fetched for that')
  })

  await fact('a copy that is published goes and comes back, and whoever reads it goes on', async (t, c) => {
    const free = () => true
    await c.one.index(tip(c))
    t.equal(await c.one.generations.release('shop', free, never), false, 'it is not published')
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    await c.two.generations.restore('shop', never)
    await using reader = await c.two.store.openReader('shop')
    const before = searchWords(reader, 'parse the items of a cart', 10)
    t.equal(await c.two.generations.release('shop', () => false, never), false, 'somebody uses it')
    t.equal(await c.two.generations.release('shop', free, never), true)
    t.equal(await c.two.store.publication('shop'), null)
    t.same(readdirSync(join(c.two.root, 'shop')), ['project.json'])
    await t.rejects(c.two.store.openReader('shop'), { code: 'INDEX_NOT_READY' })
    t.same(searchWords(reader, 'parse the items of a cart', 10), before, 'the open reader does not notice')
    t.same(reader.definitionsOf('cartTotal').length, 1)
    t.equal(await c.two.generations.release('shop', free, never), false, 'there is none any more')
    t.equal(await c.two.generations.restore('shop', never), 'restored')
    t.same(await c.two.search('cartTotal'), ['src/cart.js'])
    // as after a restart, which remembers nothing
    t.equal(await c.openNode('two').generations.release('shop', free, never), true)
  })

  await fact('nothing goes that could not be fetched again', async (t, c) => {
    const free = () => true
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    c.state.isAway = true
    await t.rejects(c.one.generations.release('shop', free, never), { code: 'OBJECT_STORE_UNAVAILABLE' })
    t.ok(await c.one.store.publication('shop'))
    c.state.isAway = false
    const { rows } = await c.db.query(`SELECT sha256 FROM blob_uses WHERE owner = 'project/shop' AND is_stored LIMIT 1`)
    await c.uses.lost(String(rows[0]?.sha256))
    t.equal(await c.one.generations.release('shop', free, never), false, 'the store lost a piece')
    t.equal(await c.one.generations.mend('shop', never), true)
    c.repository.commit({ 'src/new.js': 'export function brandNew () {}\n' })
    const building = await c.one.generations.hold('shop')
    t.equal(await c.one.generations.release('shop', free, never), false, 'a build goes on')
    await c.one.index(tip(c))
    building[Symbol.dispose]()
    t.equal(await c.one.generations.release('shop', free, never), false, 'what was built is not published')
    t.equal(await c.openNode('one').generations.release('shop', free, never), false, 'nor after a restart')
    await c.claim()
    t.match(await c.one.generations.publish('shop', c.publisher('one'), { signal: never }), { outcome: 'fenced' })
    t.equal(await c.one.generations.release('shop', free, never), false)
    await c.one.generations.publish('shop', c.publisher('one', 2), { signal: never })
    t.equal(await c.one.generations.release('shop', free, never), true)
  })

  await fact('who asks while a copy goes gets it back', async (t, c) => {
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    await c.two.generations.restore('shop', never)
    let asked: Promise<unknown>[] = []
    const begin = () => {
      asked = [1, 2, 3].map(() => c.two.generations.restore('shop', never))
      return true
    }
    const { gets } = c.state
    t.equal(await c.two.generations.release('shop', begin, never), true)
    t.same(await Promise.all(asked), ['restored', 'restored', 'restored'])
    const fetched = c.state.gets - gets
    t.same(await c.two.search('cartTotal'), ['src/cart.js'])
    await c.two.generations.release('shop', () => true, never)
    await c.two.generations.restore('shop', never)
    t.equal(c.state.gets - gets - fetched, fetched, 'three who asked fetched as much as one')
  })

  await fact('one more commit sends and fetches what is new alone', async (t, c) => {
    await c.one.index(tip(c))
    const first = await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    await c.two.generations.restore('shop', never)
    c.repository.commit({ 'src/new.js': 'export function brandNew () {}\n' })
    await c.one.index(tip(c))
    const { gets } = c.state
    const second = await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    if (first.outcome !== 'published' || second.outcome !== 'published') throw new Error('not published')
    t.ok(second.generation > first.generation)
    t.ok(second.sent < second.blobs, `${second.sent} of ${second.blobs} were sent`)
    t.same(await c.two.search('brandNew'), [])
    t.equal(await c.two.generations.restore('shop', never), 'restored')
    t.same(await c.two.search('brandNew'), ['src/new.js'])
    t.ok(c.state.gets > gets)
    const again = await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    t.match(again, { outcome: 'published', generation: second.generation, sent: 0 }, 'to publish twice is no harm')
  })

  await fact('a run that lost its job publishes nothing', async (t, c) => {
    await c.one.index(tip(c))
    await c.claim()
    t.match(await c.one.generations.publish('shop', c.publisher('one'), { signal: never }), { outcome: 'fenced' })
    t.equal(await c.two.generations.published('shop'), null)
    t.match(await c.one.generations.publish('shop', c.publisher('one', 2), { signal: never }), {
      outcome: 'published',
    })
    await c.db.query(`UPDATE jobs SET status = 'succeeded'`)
    c.repository.commit({ 'src/late.js': 'export function tooLate () {}\n' })
    await c.one.index(tip(c))
    t.match(await c.one.generations.publish('shop', c.publisher('one', 2), { signal: never }), { outcome: 'fenced' })
  })

  await fact('a run that loses its job while it sends changes nothing', async (t, c) => {
    await c.one.index(tip(c))
    const held = Promise.withResolvers<void>()
    const transport = generationTransport(c.one.root, c.one.store)
    const reading = Promise.withResolvers<void>()
    const slow = createSharedGenerations({
      db: c.db,
      blobs: c.blobs,
      uses: c.uses,
      transport: {
        ...transport,
        async describe(...args) {
          const described = await transport.describe(...args)
          if (described === null) return null
          return {
            description: described.description,
            [Symbol.asyncDispose]: () => described[Symbol.asyncDispose](),
            async readPiece(sha256) {
              reading.resolve()
              await held.promise
              return await described.readPiece(sha256)
            },
          }
        },
      },
    })
    const publishing = slow.publish('shop', c.publisher('one'), { signal: never })
    await reading.promise
    await c.claim()
    held.resolve()
    t.match(await publishing, { outcome: 'fenced' })
    t.equal(await c.two.generations.published('shop'), null)
  })

  await fact('generations only go forward', async (t, c) => {
    await c.one.index(tip(c))
    cpSync(c.one.root, join(c.top, 'old'), { recursive: true })
    c.repository.commit({ 'src/new.js': 'export function brandNew () {}\n' })
    await c.one.index(tip(c))
    const newer = await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    const old = c.openNode('old')
    t.match(await old.generations.publish('shop', c.publisher('old'), { signal: never }), { outcome: 'behind' })
    t.equal((await c.two.generations.published('shop'))?.generation, newer.generation)
    t.equal(await old.generations.restore('shop', never), 'restored')
    t.same(await old.search('brandNew'), ['src/new.js'])
  })

  await fact('while the store is away nodes answer from what they have, and publishing fails', async (t, c) => {
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    await c.two.generations.restore('shop', never)
    c.state.isAway = true
    t.equal(await c.two.generations.restore('shop', never), 'current')
    t.same(await c.two.search('parseUser'), ['src/user.js'])
    c.repository.commit({ 'src/new.js': 'export function brandNew () {}\n' })
    await c.one.index(tip(c))
    const away = { code: 'OBJECT_STORE_UNAVAILABLE' }
    await t.rejects(c.one.generations.publish('shop', c.publisher('one'), { signal: never }), away)
    await t.rejects(c.openNode('three').generations.restore('shop', never), away)
    c.state.isAway = false
    t.match(await c.one.generations.publish('shop', c.publisher('one'), { signal: never }), { outcome: 'published' })
  })

  await fact('a piece that the store damaged is given up, and sent again by a node that has it', async (t, c) => {
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    const folder = join(c.top, 'objects/blobs')
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'something else')
    await t.rejects(c.two.generations.restore('shop', never), { message: /other bytes/ })
    await t.rejects(c.two.generations.restore('shop', never), { message: /has no blob/ })
    t.notOk(existsSync(join(c.two.root, 'shop/CURRENT')), 'nothing of it came here')
    t.equal(await c.one.generations.mend('shop', never), true)
    // each restoration finds what is damaged next
    for (let tries = 0; tries < 40; tries++) {
      const restored = await c.two.generations.restore('shop', never).catch(() => null)
      if (restored === 'restored') break
      await c.one.generations.mend('shop', never)
    }
    t.same(await c.two.search('parseUser'), ['src/user.js'])
    t.equal(await c.two.generations.mend('shop', never), true)
    t.equal(await c.openNode('three').generations.mend('shop', never), false)
  })

  await fact('nodes of the release before and of this one read what the other published', async (t, c) => {
    const olderNode = (name: string) => {
      const node = c.openNode(name)
      const transport = generationTransport(node.root, node.store)
      const older: GenerationTransport<GenerationDescription> = {
        ...transport,
        async describe(...args) {
          const one = await transport.describe(...args)
          if (one === null) return null
          return {
            description: withoutRecipes(one.description),
            readPiece: sha256 => one.readPiece(sha256),
            [Symbol.asyncDispose]: () => one[Symbol.asyncDispose](),
          }
        },
        decode: (...args) => withoutRecipes(transport.decode(...args)),
        ofOlderReleases: () => [],
        isSame: (one, other) => one.generation === other.generation,
      }
      return {
        ...node,
        generations: createSharedGenerations({ db: c.db, blobs: c.blobs, uses: c.uses, transport: older }),
      }
    }
    const old = olderNode('old')
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    await t.rejects(old.generations.restore('shop', never), { message: /has no blob/ }, 'what it needs was not sent')
    t.equal(await c.one.generations.mend('shop', never), true)
    t.equal(await old.generations.restore('shop', never), 'restored', 'it was sent when it was asked for')
    t.same(await old.search('parseUser'), ['src/user.js'])
    c.state.later = 25 * 3_600_000
    await c.collect()
    t.equal(await olderNode('another').generations.restore('shop', never), 'restored', 'what was asked for is kept')

    c.repository.commit({ 'src/new.js': 'export function brandNew () {}\n' })
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    await t.rejects(old.generations.restore('shop', never))
    t.same(await old.search('parseUser'), ['src/user.js'], 'until then it answers from what it has')
    t.equal(await c.one.generations.mend('shop', never), true)
    t.equal(await old.generations.restore('shop', never), 'restored')
    t.same(await old.search('brandNew'), ['src/new.js'])

    const worker = olderNode('worker')
    await worker.generations.restore('shop', never)
    c.repository.commit({ 'src/newer.js': 'export function evenNewer () {}\n' })
    await indexShop({ store: worker.store, repository: c.repository, commit: tip(c), embedder: createLocalEmbedder() })
    await worker.generations.publish('shop', c.publisher('worker'), { signal: never })
    t.equal(await c.two.generations.restore('shop', never), 'restored')
    t.same(await c.two.search('evenNewer'), ['src/newer.js'])
    const folder = join(c.top, 'objects/blobs')
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    await c.db.query('UPDATE blob_uses SET is_stored = false')
    t.equal(await c.two.generations.mend('shop', never), true, 'a node of this release sends it again')
    t.equal(await olderNode('third').generations.restore('shop', never), 'restored')
  })

  await fact('garbage is what no generation has had for a day', async (t, c) => {
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    cpSync(c.one.root, join(c.top, 'slow'), { recursive: true })
    await c.two.generations.restore('shop', never)
    for (const path of ['src/cart.js', 'src/user.js']) {
      c.repository.commit({ [path]: `export function renamed${path.length} () {}\n` })
      await c.one.index(tip(c))
      await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    }
    t.equal((await c.collect()).deleted, 0)
    c.state.later = 25 * 3_600_000
    t.ok((await c.collect()).deleted > 0)
    t.same(await c.two.search('parseUser'), ['src/user.js'], 'a node that is behind goes on answering')
    t.equal(await c.openNode('three').generations.restore('shop', never), 'restored', 'what is current is whole')
    t.equal(await c.two.generations.restore('shop', never), 'restored')
    await c.one.generations.forget('shop')
    t.equal(await c.two.generations.restore('shop', never), 'none')
    c.state.later = 50 * 3_600_000
    await c.collect()
    t.same(readdirSync(join(c.top, 'objects/blobs')), [], 'nothing is left of a project that was deleted')
  })

  await fact('many who restore at once fetch once, and one who leaves does not stop the others', async (t, c) => {
    await c.one.index(tip(c))
    const published = await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    const held = Promise.withResolvers<void>()
    c.state.gate = held.promise
    const leaving = new AbortController()
    const first = c.two.generations.restore('shop', leaving.signal)
    const others = [1, 2, 3].map(() => c.two.generations.restore('shop', never))
    while (c.state.gets === 0) await setImmediate()
    leaving.abort(new Error('the client left'))
    held.resolve()
    await t.rejects(first, /the client left/)
    t.ok((await Promise.all(others)).every(outcome => outcome === 'restored' || outcome === 'current'))
    if (published.outcome === 'published') t.ok(c.state.gets <= published.blobs + 1, `${c.state.gets} gets`)
    t.same(await c.two.search('parseUser'), ['src/user.js'])
  })

  await fact('a build that goes on here is not brought back to what others have', async (t, c) => {
    await c.one.index(tip(c))
    await c.one.generations.publish('shop', c.publisher('one'), { signal: never })
    const held = await c.one.generations.hold('shop')
    c.repository.commit({ 'src/new.js': 'export function brandNew () {}\n' })
    await c.one.index(tip(c))
    t.equal(await c.one.generations.restore('shop', never), 'held')
    t.same(await c.one.search('brandNew'), ['src/new.js'])
    held[Symbol.dispose]()
    t.equal(await c.one.generations.restore('shop', never), 'restored', 'what was never published to all goes')
    t.same(await c.one.search('brandNew'), [])
    rmSync(join(c.one.root, 'shop'), { recursive: true })
    t.equal(await c.one.generations.restore('shop', never), 'restored', 'a node that lost its disk has all again')
  })
})
