import { createHash, randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { readAll, type ObjectInfo, type ObjectStore } from '../../src/object-store/object-store.ts'

/** Opens an empty store for one test and closes it in the test's teardown. */
type OpenObjectStore = (t: Test) => Promise<ObjectStore>

const never = new AbortController().signal
const MIB = 1_048_576
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** All bytes of an object; null where there is none. */
export async function contentOf(store: ObjectStore, key: string): Promise<Buffer | null> {
  const body = await store.get(key, never)
  return body === null ? null : await readAll(body)
}

async function listed(store: ObjectStore, prefix: string): Promise<ObjectInfo[]> {
  const found: ObjectInfo[] = []
  for await (const page of store.list(prefix, never)) found.push(...page)
  return found.sort((a, b) => (a.key < b.key ? -1 : 1))
}

const keysOf = async (store: ObjectStore, prefix: string): Promise<string[]> =>
  (await listed(store, prefix)).map(({ key }) => key)

/**
 * What every implementation of ObjectStore must do.
 *
 * @param hasAtomicPuts - False for a server for tests that writes into the file that it serves.
 */
export function objectStoreContract(t: Test, open: OpenObjectStore, { hasAtomicPuts = true } = {}): void {
  const fact = (name: string, run: (t: Test, store: ObjectStore) => Promise<void>) =>
    t.test(name, async t => run(t, await open(t)))

  fact('what was put is got, whatever its size', async (t, store) => {
    for (const size of [0, 1, 1_000, 3 * MIB + 17]) {
      const bytes = randomBytes(size)
      await store.put(`blobs/of-${size}`, bytes, never)
      const body = await store.get(`blobs/of-${size}`, never)
      t.equal(body?.bytes, size)
      t.equal(sha256(body === null ? Buffer.of() : await readAll(body)), sha256(bytes), `${size} bytes`)
    }
  })

  fact('pieces of any sizes are put together, also to an object larger than a request', async (t, store) => {
    const bytes = randomBytes(13 * MIB + 1)
    for (const size of [100_003, 6 * MIB, 20 * MIB]) {
      await store.put('parts/large.bin', inPieces(bytes, size), never)
      t.equal(sha256((await contentOf(store, 'parts/large.bin')) ?? Buffer.of()), sha256(bytes))
      t.equal((await store.head('parts/large.bin', never))?.bytes, bytes.length)
    }
    await store.put('parts/empty', inPieces(Buffer.of(), 1), never)
    t.equal((await contentOf(store, 'parts/empty'))?.length, 0)
  })

  fact('an object is replaced as a whole', async (t, store) => {
    await store.put('pointer', Buffer.from('a longer first one'), never)
    await store.put('pointer', Buffer.from('second'), never)
    t.equal(String(await contentOf(store, 'pointer')), 'second')
    t.equal((await store.head('pointer', never))?.bytes, 6)
  })

  fact('what is not there is null, and is deleted without an error', async (t, store) => {
    t.equal(await store.get('nothing/here', never), null)
    t.equal(await store.head('nothing/here', never), null)
    await store.delete('nothing/here', never)
    t.same(await listed(store, ''), [])
    t.same(await listed(store, 'nothing/'), [])
  })

  fact('what was deleted is gone', async (t, store) => {
    await store.put('a/b', Buffer.from('x'), never)
    await store.put('a/c', Buffer.from('y'), never)
    await store.delete('a/b', never)
    t.equal(await store.head('a/b', never), null)
    t.equal(await store.get('a/b', never), null)
    t.same(await keysOf(store, 'a/'), ['a/c'])
  })

  fact('a listing has keys, sizes and times of what begins with the prefix', async (t, store) => {
    const before = Date.now()
    for (const key of ['blobs/aa', 'blobs/ab', 'blobs/b', 'other/aa', 'blobs.txt']) {
      await store.put(key, Buffer.from(key), never)
    }
    t.same(await keysOf(store, 'blobs/'), ['blobs/aa', 'blobs/ab', 'blobs/b'])
    t.same(await keysOf(store, 'blobs/a'), ['blobs/aa', 'blobs/ab'])
    t.same(await keysOf(store, ''), ['blobs.txt', 'blobs/aa', 'blobs/ab', 'blobs/b', 'other/aa'])
    for (const { key, bytes, changedAt } of await listed(store, 'blobs/')) {
      t.equal(bytes, key.length)
      t.ok(Math.abs(changedAt.getTime() - before) < 120_000, `${key} was changed at ${changedAt.toISOString()}`)
      t.same(await store.head(key, never).then(info => info?.bytes), bytes)
    }
  })

  fact('more objects than a page holds are all listed, once each', async (t, store) => {
    const keys = Array.from({ length: 1_203 }, (_, i) => `many/${String(i).padStart(4, '0')}`)
    for (let at = 0; at < keys.length; at += 100) {
      await Promise.all(keys.slice(at, at + 100).map(key => store.put(key, Buffer.from('.'), never)))
    }
    let pages = 0
    const found: string[] = []
    for await (const page of store.list('many/', never)) {
      pages++
      t.ok(page.length <= 1_000)
      found.push(...page.map(({ key }) => key))
    }
    t.ok(pages >= 2, `${pages} pages`)
    t.same(found.sort(), keys)
  })

  fact('nothing is stored of a content that fails', async (t, store) => {
    const failure = new Error('the file changed')
    for (const pieces of [1, 30]) {
      async function* failing(): AsyncIterable<Uint8Array> {
        for (let i = 0; i < pieces; i++) yield Buffer.alloc(MIB, i)
        throw failure
      }
      await t.rejects(store.put('torn/object', failing(), never), failure)
      t.equal(await store.head('torn/object', never), null)
    }
    t.same(await listed(store, 'torn/'), [])
    await store.put('torn/object', Buffer.from('whole'), never)
    t.equal(String(await contentOf(store, 'torn/object')), 'whole')
  })

  fact('a content that fails leaves what had the key', async (t, store) => {
    await store.put('kept', Buffer.from('first'), never)
    async function* failing(): AsyncIterable<Uint8Array> {
      yield Buffer.from('sec')
      throw new Error('cut off')
    }
    await t.rejects(store.put('kept', failing(), never), /cut off/)
    t.equal(String(await contentOf(store, 'kept')), 'first')
  })

  fact('many puts and gets at once do not disturb each other', async (t, store) => {
    const objects = Array.from({ length: 24 }, (_, i) => ({ key: `side/${i}`, bytes: randomBytes(100_000 + i) }))
    await Promise.all(objects.map(({ key, bytes }) => store.put(key, bytes, never)))
    const same = await Promise.all(
      objects.map(async ({ key, bytes }) => bytes.equals((await contentOf(store, key)) ?? Buffer.of())),
    )
    t.ok(same.every(Boolean))
  })

  const atomicFact = hasAtomicPuts ? fact : () => {}
  atomicFact('of two puts under one key one is there, whole', async (t, store) => {
    const [a, b] = [randomBytes(2 * MIB), randomBytes(2 * MIB)]
    await Promise.all([store.put('side/same', a, never), store.put('side/same', b, never)])
    const found = await contentOf(store, 'side/same')
    t.ok(found?.equals(a) === true || found?.equals(b) === true, 'one of the two, whole')
  })

  fact('a reader that stops early leaves the store usable', async (t, store) => {
    await store.put('long', randomBytes(4 * MIB), never)
    const body = await store.get('long', never)
    const pieces = body?.content[Symbol.asyncIterator]()
    t.equal((await pieces?.next())?.done, false)
    await pieces?.return?.()
    t.equal((await contentOf(store, 'long'))?.length, 4 * MIB)
  })

  fact('a signal that has fired stops every call with its reason', async (t, store) => {
    await store.put('there', randomBytes(3 * MIB), never)
    const reason = new Error('the job was cancelled')
    const fired = AbortSignal.abort(reason)
    await t.rejects(store.put('new', Buffer.from('x'), fired), reason)
    await t.rejects(store.get('there', fired), reason)
    await t.rejects(store.head('there', fired), reason)
    await t.rejects(store.delete('there', fired), reason)
    await t.rejects(async () => {
      for await (const page of store.list('', fired)) t.fail(`listed ${page.length}`)
    }, reason)
    t.equal(await store.head('new', never), null)
    t.not(await store.head('there', never), null)
  })

  fact('a signal that fires in the middle of a put or a get stops it with its reason', async (t, store) => {
    const reason = new Error('the job was cancelled')
    const putting = new AbortController()
    async function* cancelled(): AsyncIterable<Uint8Array> {
      for (let i = 0; i < 40; i++) {
        if (i === 20) putting.abort(reason)
        yield Buffer.alloc(MIB, i)
      }
    }
    await t.rejects(store.put('half', cancelled(), putting.signal), reason)
    t.equal(await store.head('half', never), null)

    await store.put('whole', randomBytes(12 * MIB), never)
    const getting = new AbortController()
    const body = await store.get('whole', getting.signal)
    await t.rejects(async () => {
      for await (const piece of body?.content ?? []) if (piece.length > 0) getting.abort(reason)
    }, reason)
  })

  fact('keys that are no plain paths are refused', async (t, store) => {
    for (const key of [
      '',
      '/a',
      'a/',
      'a//b',
      '../a',
      'a/../b',
      '.a',
      'a/.b',
      'a b',
      'ä',
      'a\\b',
      'a?b',
      'x'.repeat(600),
    ]) {
      await t.rejects(store.put(key, Buffer.from('x'), never), { code: 'VALIDATION_FAILED' }, key.slice(0, 20))
      await t.rejects(store.get(key, never), { code: 'VALIDATION_FAILED' }, key.slice(0, 20))
      await t.rejects(store.head(key, never), { code: 'VALIDATION_FAILED' }, key.slice(0, 20))
      await t.rejects(store.delete(key, never), { code: 'VALIDATION_FAILED' }, key.slice(0, 20))
    }
    for (const prefix of ['/', '../', '..', 'a/../', 'a b']) {
      await t.rejects(() => listed(store, prefix), { code: 'VALIDATION_FAILED' }, prefix)
    }
  })
}
