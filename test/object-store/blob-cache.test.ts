import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { BlobCache } from '../../src/object-store/blobs/blob-cache.ts'
import { blobOf, BlobStore, type BlobRef } from '../../src/object-store/blobs/blob-store.ts'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import { ObjectStoreError, type ObjectStore } from '../../src/object-store/object-store.ts'
import { testFolder } from '../helpers/test-folder.ts'

const never = new AbortController().signal
const away = () => Promise.reject(new ObjectStoreError('The object store is away.', { isTransient: true }))

interface World {
  blobs: BlobStore
  cache: BlobCache
  folder: string
  top: string
  damaged: string[]
  gets: () => number
  /** Whether the store answers. */
  reach: (isThere: boolean) => void
  /** Holds up what is got until it is called. */
  hold: () => () => void
  clock: { now: number }
  put: (size: number) => Promise<BlobRef>
}

function world(t: Test, maxBytes = 1_000_000_000): World {
  const top = testFolder(t)
  const objects = openFolderStore(join(top, 'objects'))
  const folder = join(top, 'cache')
  let gets = 0
  let isThere = true
  let gate = Promise.resolve()
  const watched: ObjectStore = {
    ...objects,
    async get(key, signal) {
      gets++
      await gate
      signal.throwIfAborted()
      return isThere ? await objects.get(key, signal) : await away()
    },
  }
  const blobs = new BlobStore(watched)
  const damaged: string[] = []
  const clock = { now: Date.now() }
  const cache = new BlobCache(blobs, {
    folder,
    maxBytes,
    onDamage: sha256 => damaged.push(sha256),
    now: () => clock.now,
  })
  return {
    ...{ blobs, cache, folder, top, damaged, clock },
    gets: () => gets,
    reach: now => {
      isThere = now
    },
    hold: () => {
      const held = Promise.withResolvers<void>()
      gate = held.promise
      return held.resolve
    },
    put: size => blobs.putBytes(randomBytes(size), never),
  }
}

const cachedPath = ({ folder }: World, { sha256 }: BlobRef): string => join(folder, sha256.slice(0, 2), sha256)

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name)
}

test('what was fetched once is answered from the disk, also while the store is away', async t => {
  const w = world(t)
  const ref = await w.put(100_000)
  const first = await w.cache.read(ref, never)
  t.same(blobOf(first), ref)
  w.reach(false)
  t.ok((await w.cache.read(ref, never)).equals(first))
  await w.cache.place(ref, join(w.top, 'placed'), never)
  t.ok(readFileSync(join(w.top, 'placed')).equals(first))
  t.equal(w.gets(), 1)
  const again = new BlobCache(w.blobs, { folder: w.folder, maxBytes: 1_000_000_000 })
  t.ok((await again.read(ref, never)).equals(first), 'after a restart, too')
  await t.rejects(w.cache.read(blobOf(Buffer.from('not here')), never), { code: 'OBJECT_STORE_UNAVAILABLE' })
})

test('many who ask at once share one download', async t => {
  const w = world(t)
  const ref = await w.put(500_000)
  const release = w.hold()
  const reads = Array.from({ length: 20 }, () => w.cache.read(ref, never))
  const places = Array.from({ length: 5 }, (_, i) => w.cache.place(ref, join(w.top, `placed-${i}`), never))
  release()
  for (const content of await Promise.all(reads)) t.same(blobOf(content), ref)
  await Promise.all(places)
  t.equal(w.gets(), 1)
})

/** Resolves when a download is under way and those who asked before had the time to join it. */
async function joined({ gets, top }: World): Promise<void> {
  while (gets() === 0) await setImmediate()
  for (let i = 0; i < 20; i++) await stat(top)
}

test('who leaves a shared download does not stop it, the last one does', async t => {
  const w = world(t)
  const ref = await w.put(1_000)
  const release = w.hold()
  const [first, second] = [new AbortController(), new AbortController()]
  const reason = new Error('the client left')
  const leaving = w.cache.read(ref, first.signal)
  const staying = w.cache.read(ref, second.signal)
  await joined(w)
  first.abort(reason)
  await t.rejects(leaving, reason)
  release()
  t.same(blobOf(await staying), ref)
  t.equal(w.gets(), 1)

  const other = await w.put(1_000)
  const releaseOther = w.hold()
  const both = [new AbortController(), new AbortController()]
  const reads = both.map(({ signal }) => w.cache.read(other, signal))
  for (const controller of both) controller.abort(reason)
  // all at once: one that is refused while another is waited for would count as caught by nobody
  await Promise.all(reads.map(read => t.rejects(read, reason)))
  const late = w.cache.read(other, never)
  releaseOther()
  t.same(blobOf(await late), other, 'who comes later begins a download of their own')
})

test('a failed download is not remembered', async t => {
  const w = world(t)
  const ref = await w.put(1_000)
  w.reach(false)
  await t.rejects(w.cache.read(ref, never), { code: 'OBJECT_STORE_UNAVAILABLE' })
  w.reach(true)
  t.same(blobOf(await w.cache.read(ref, never)), ref)
  t.same(filesIn(w.folder), [ref.sha256], 'nothing else is left')
})

test('damage on the disk is found, and the blob fetched again', async t => {
  const w = world(t)
  const ref = await w.put(50_000)
  const whole = await w.cache.read(ref, never)
  const damages: Array<(path: string) => void> = [
    path => truncateSync(path, 49_999),
    path =>
      writeFileSync(
        path,
        whole.map((byte, i) => (i === 30_000 ? byte ^ 1 : byte)),
      ),
    path => writeFileSync(path, ''),
  ]
  for (const [i, damage] of damages.entries()) {
    damage(cachedPath(w, ref))
    t.ok((await w.cache.read(ref, never)).equals(whole))
    damage(cachedPath(w, ref))
    await w.cache.place(ref, join(w.top, `placed-${i}`), never)
    t.ok(readFileSync(join(w.top, `placed-${i}`)).equals(whole))
  }
  t.equal(w.damaged.length, 6)
  t.same(new Set(w.damaged), new Set([ref.sha256]))
  truncateSync(cachedPath(w, ref), 1)
  w.reach(false)
  await t.rejects(
    w.cache.read(ref, never),
    { code: 'OBJECT_STORE_UNAVAILABLE' },
    'and never given while the store is away',
  )
})

test('wrong bytes of the store are never kept', async t => {
  const w = world(t)
  const ref = await w.put(50_000)
  writeFileSync(join(w.top, 'objects/blobs', ref.sha256), 'something else')
  await t.rejects(w.cache.read(ref, never), { message: /other bytes/ })
  await t.rejects(w.cache.place(ref, join(w.top, 'placed'), never), { message: /other bytes/ })
  t.same(filesIn(w.folder), [])
})

test('what was used longest ago goes first when the limit is reached', async t => {
  const w = world(t, 1_000)
  const refs = await Promise.all([1, 2, 3].map(() => w.put(300)))
  for (const ref of refs) {
    w.clock.now += 1_000
    await w.cache.read(ref, never)
  }
  const [first, second, third] = refs
  w.clock.now += 1_000
  if (first !== undefined) await w.cache.read(first, never)
  const fourth = await w.put(300)
  await w.cache.read(fourth, never)
  t.same(filesIn(w.folder).sort(), [first, third, fourth].map(ref => ref?.sha256).sort())
  w.reach(false)
  if (second !== undefined) await t.rejects(w.cache.read(second, never))
  await t.rejects(w.cache.read({ sha256: '0'.repeat(64), bytes: 1 }, never))
})

test('a blob larger than the cache is handed out all the same', async t => {
  const w = world(t, 1_000)
  const ref = await w.put(5_000)
  t.same(blobOf(await w.cache.read(ref, never)), ref)
  await w.cache.place(ref, join(w.top, 'placed'), never)
  t.equal(statSync(join(w.top, 'placed')).size, 5_000)
  await w.cache.trim()
  t.same(filesIn(w.folder), [])
})

test('what killed processes left goes after some hours, and not before', async t => {
  const w = world(t)
  mkdirSync(w.folder, { recursive: true })
  const [old, young] = ['old.tmp', 'young.tmp'].map(name => join(w.folder, name)) as [string, string]
  for (const path of [old, young]) writeFileSync(path, 'half of it')
  const longAgo = (w.clock.now - 7 * 3_600_000) / 1_000
  utimesSync(old, longAgo, longAgo)
  await w.cache.trim()
  t.same(filesIn(w.folder), ['young.tmp'])
})

test('a file that this machine made need not be fetched', async t => {
  const w = world(t)
  const content = randomBytes(10_000)
  writeFileSync(join(w.top, 'made'), content)
  const ref = blobOf(content)
  await w.cache.add(ref, join(w.top, 'made'))
  await w.cache.add(ref, join(w.top, 'made'))
  w.reach(false)
  t.ok((await w.cache.read(ref, never)).equals(content))
  t.equal(w.gets(), 0)
})
