// What it takes to put objects into each kind of store and to get them back, and to bring a generation of an index to a
// node that has nothing, against indexing the repository there.
// usage: node bench/objects.bench.ts REPOSITORY.git [MEGABYTES]
// All on loopback and one disk: s3rver stands in for S3, and takes its part of the processors.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { BlobStore } from '../src/object-store/blobs/blob-store.ts'
import { openFolderStore } from '../src/object-store/folder-store.ts'
import { readAll, type ObjectStore } from '../src/object-store/object-store.ts'
import { openPostgresStore } from '../src/object-store/postgres-store.ts'
import { openS3Store } from '../src/object-store/s3/s3-store.ts'
import { createBlobUses } from '../src/replication/blob-uses.ts'
import { createSharedGenerations } from '../src/replication/generations.ts'
import { generationTransport } from '../src/services/generation-transport.ts'
import { openStore } from '../src/vecstore/store.ts'
import type { TestRepository } from '../test/helpers/git-repository.ts'
import { indexShop } from '../test/helpers/indexed-shop.ts'
import { openTestDatabase, startPostgres } from '../test/helpers/postgres.ts'
import { S3_KEYS, s3Server } from '../test/helpers/s3-server.ts'

const [repository, size = '64'] = process.argv.slice(2)
if (repository === undefined) {
  console.error('usage: node bench/objects.bench.ts REPOSITORY.git [MEGABYTES]')
  process.exit(2)
}

const MIB = 1_048_576
const SMALL_BYTES = 65_536
const never = new AbortController().signal
const top = mkdtempSync(join(tmpdir(), 'faultline-objects-'))
const endings: Array<() => unknown> = [() => rmSync(top, { recursive: true, force: true })]
let folders = 0
/** As much of a test as the helpers want. */
const t = {
  name: 'bench',
  teardown: (end: () => unknown) => endings.push(end),
  testdir: () => mkdtempSync(join(top, `${++folders}-`)),
} as unknown as Test

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}

async function eachOf(count: number, width: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++)
    }),
  )
}

async function measureStore(name: string, store: ObjectStore): Promise<void> {
  const large = randomBytes(Number(size) * MIB)
  const small = large.subarray(0, 16 * MIB)
  const count = small.length / SMALL_BYTES
  const get = async (key: string) => readAll((await store.get(key, never)) ?? { content: (async function* () {})() })
  const rate = (bytes: number, s: number) => `${(bytes / MIB / s).toFixed(0).padStart(5)} MB/s`
  const put = await seconds(() => store.put('large', large, never))
  const got = await seconds(() => get('large'))
  const puts = await seconds(() =>
    eachOf(count, 8, i => store.put(`small/${i}`, small.subarray(i * SMALL_BYTES, (i + 1) * SMALL_BYTES), never)),
  )
  const gets = await seconds(() => eachOf(count, 8, i => get(`small/${i}`)))
  console.log(
    `${name.padEnd(10)} one of ${size} MB: put ${rate(large.length, put)}, get ${rate(large.length, got)}; ` +
      `${count} of 64 KiB, 8 at once: put ${rate(small.length, puts)}, get ${rate(small.length, gets)}`,
  )
}

const bare = { dir: repository } as TestRepository
const commit = execFileSync('git', [`--git-dir=${repository}`, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
const server = await startPostgres()
endings.push(() => server.close())
const db = await openTestDatabase(t, server)
await db.query('DROP TABLE IF EXISTS jobs CASCADE') // the fence looks at three of its columns
await db.query('CREATE TABLE jobs (seq bigint PRIMARY KEY, attempt int NOT NULL, status text NOT NULL)')
await db.query(`INSERT INTO jobs (seq, attempt, status) VALUES (1, 1, 'running')`)

const stores = {
  folder: openFolderStore(join(top, 'objects')),
  'postgres:': openPostgresStore(db),
  s3: await openS3Store(await s3Server(t), S3_KEYS),
}
for (const [name, store] of Object.entries(stores)) await measureStore(name, store)

const root = join(top, 'one')
const store = openStore(root, { minFreeBytes: 0 })
const index = (into: typeof store) =>
  indexShop({ store: into, repository: bare, commit, embedder: createLocalEmbedder() })
const indexed = await seconds(() => index(store))
const bytes = await store.storeBytes('shop')
console.log(`indexing: ${indexed.toFixed(1)} s, ${(bytes / MIB).toFixed(1)} MB of files`)

for (const [name, objects] of Object.entries(stores)) {
  const blobs = new BlobStore(objects)
  await db.query('DELETE FROM blob_uses')
  await db.query('DELETE FROM published_generations')
  const uses = createBlobUses({ db, blobs, graceMs: 86_400_000 })
  const nodeAt = (folder: string) =>
    createSharedGenerations({
      db,
      blobs,
      uses,
      transport: generationTransport(folder, openStore(folder, { minFreeBytes: 0 })),
    })
  const published = await seconds(() =>
    nodeAt(root).publish('shop', { seq: 1, attempt: 1, node: 'one' }, { signal: never }),
  )
  let stored = 0
  for await (const page of blobs.list(never)) for (const blob of page) stored += blob.bytes
  const restored = await seconds(() => nodeAt(join(top, `two-${folders++}`)).restore('shop', never))
  console.log(
    `${name.padEnd(10)} publish ${published.toFixed(1)} s (${(stored / MIB).toFixed(1)} MB stored), ` +
      `restore ${restored.toFixed(1)} s: ${(indexed / restored).toFixed(1)} times quicker than indexing`,
  )
}
for (const end of endings.reverse()) await end()
