import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { test } from 'tap'
import { LARGE_SEARCH, NEEDS_HNSW } from '../../helpers/hnsw.ts'
import type { GenerationReader } from '../../../src/vecstore/generation-reader.ts'
import type { ManifestJson } from '../../../src/vecstore/format/stored-manifest.ts'
import type { Store } from '../../../src/vecstore/store.ts'
import { createVectorFile } from '../../../src/vecstore/vectors/vector-file.ts'
import { addFiles, finishAndPublish, openTestStore, publish, vectorOf } from '../fixture.ts'

const FILES = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}.py`, `value_${i} = ${i}\n`]))
const QUERY = vectorOf('anything')

const generationDir = (root: string, generation = 1) => join(root, 'shop', String(generation).padStart(6, '0'))
const found = (reader: GenerationReader, k = 20) =>
  reader.searchVectors(QUERY, k).map(({ path, score }) => `${path} ${score.toFixed(4)}`)

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
  writeFileSync(path, bytes)
}

/** Puts another content in the place of a file, and its checksum into the manifest, as a release with a fault would. */
function replaceWithChecksum(
  folder: string,
  file: string,
  bytes: Uint8Array,
  checksumOf: (manifest: ManifestJson) => { bytes: number; sha256: string } | null | undefined,
): void {
  writeFileSync(join(folder, file), bytes)
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as ManifestJson
  Object.assign(checksumOf(manifest) ?? {}, {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}

/** The answers of an exact scan of what is published. */
async function exactly(root: string): Promise<string[]> {
  await using reader = await openTestStore(root).openReader('shop')
  return found(reader)
}

async function untilRepaired(reader: GenerationReader): Promise<void> {
  for (let turn = 0; turn < 1_000 && reader.vectorSearch === 'repairing'; turn++) await setImmediate()
}

/** The header of vectors with another number of dimensions. */
function withDimension(bytes: Buffer, dimensions: number): Buffer {
  bytes.writeUInt32LE(4 + 32 * 4 + dimensions * 4 + 8, 24)
  bytes.writeUInt32LE(4 + 32 * 4 + dimensions * 4, 32)
  return bytes
}

const DAMAGES: Record<string, (hnsw: string, root: string) => void> = {
  'a flipped byte': hnsw => flipByte(hnsw, 500),
  'a flipped byte in the header': hnsw => flipByte(hnsw, 4),
  'a file that is cut off': hnsw => truncateSync(hnsw, 1_000),
  'an empty file': hnsw => truncateSync(hnsw, 0),
  'a missing file': hnsw => rmSync(hnsw),
  'that of another generation': (hnsw, root) => cpSync(join(root, 'other.hnsw'), hnsw),
  'that of another generation, with its checksum': (hnsw, root) =>
    replaceWithChecksum(
      join(hnsw, '..'),
      'vectors.hnsw',
      readFileSync(join(root, 'other.hnsw')),
      ({ seals }) => seals.hnsw,
    ),
  'that of another dimension, with its checksum': hnsw =>
    replaceWithChecksum(
      join(hnsw, '..'),
      'vectors.hnsw',
      withDimension(readFileSync(hnsw), 4),
      ({ seals }) => seals.hnsw,
    ),
  'links to nowhere, with its checksum': hnsw =>
    replaceWithChecksum(
      join(hnsw, '..'),
      'vectors.hnsw',
      readFileSync(hnsw).fill(0xff, 100, 104),
      ({ seals }) => seals.hnsw,
    ),
}

test(
  'with any damage of the graph the same is found by scanning, and soon by a graph again, without a restart',
  NEEDS_HNSW,
  async t => {
    const root = t.testdir()
    const store = openTestStore(root, { exactBelow: 0 })
    await publish(store, 'shop', { 'other.py': 'other\n' })
    cpSync(join(generationDir(root), 'vectors.hnsw'), join(root, 'other.hnsw'))
    await publish(store, 'shop', FILES)
    const expected = await exactly(root)
    cpSync(generationDir(root, 2), join(root, 'whole'), { recursive: true })
    for (const [name, damage] of Object.entries(DAMAGES)) {
      rmSync(generationDir(root, 2), { recursive: true })
      cpSync(join(root, 'whole'), generationDir(root, 2), { recursive: true })
      damage(join(generationDir(root, 2), 'vectors.hnsw'), root)
      await using reader = await store.openReader('shop')
      t.equal(reader.vectorSearch, 'repairing', name)
      t.same(found(reader), expected, `${name}: scanned`)
      await untilRepaired(reader)
      t.equal(reader.vectorSearch, 'hnsw', `${name}: repaired`)
      t.same(found(reader), expected, `${name}: found again`)
      t.equal(found(reader, 500).length, 60)
    }
  },
)

test('a reader that is closed while its graph is built ends that', NEEDS_HNSW, async t => {
  const root = t.testdir()
  const store = openTestStore(root, { exactBelow: 0 })
  await publish(store, 'shop', FILES)
  rmSync(join(generationDir(root), 'vectors.hnsw'))
  const reader = await store.openReader('shop')
  found(reader)
  await reader[Symbol.asyncDispose]()
  await setImmediate()
  t.equal(reader.vectorSearch, 'repairing')
})

test('that a graph cannot be built again is said, and scanning goes on', NEEDS_HNSW, async t => {
  const root = t.testdir()
  const store = openTestStore(root, { exactBelow: 0 })
  await publish(store, 'shop', FILES)
  const vectors = readFileSync(join(generationDir(root), 'segments/000001.vectors'))
  vectors.writeUInt32LE(1, 16 + 4) // the first chunk twice
  replaceWithChecksum(generationDir(root), 'segments/000001.vectors', vectors, ({ segments }) => segments[0]?.vectors)
  rmSync(join(generationDir(root), 'vectors.hnsw'))
  await using reader = await store.openReader('shop')
  const warning = once(process, 'warning')
  t.equal(found(reader).length, 20)
  t.match(await warning, [{ message: /given twice/ }])
  t.equal(reader.vectorSearch, 'repairing')
  t.equal(found(reader).length, 20)
})

async function grow(store: Store, files: Record<string, string>, gone: string[] = []): Promise<void> {
  await using builder = await store.begin('shop', 'copy')
  for (const path of gone) builder.catalogue.retire('repo', path)
  await addFiles(builder, files)
  await finishAndPublish(builder, 60)
}

test('vectors of another dimension than the manifest says are not read, and made again by the next build', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  const path = join(root, 'wrong.vectors')
  {
    await using writer = await createVectorFile(path, { dimensions: 4, ids: Uint32Array.of(1) })
    await writer.append(Float32Array.of(1, 0, 0, 0))
    await writer.finish()
  }
  replaceWithChecksum(
    generationDir(root),
    'segments/000001.vectors',
    readFileSync(path),
    ({ segments }) => segments[0]?.vectors,
  )
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
  {
    await using reader = await store.openReader('shop')
    t.equal(reader.vectorSearch, 'none')
    t.same(found(reader), [])
  }
  await grow(store, {})
  await using reader = await store.openReader('shop')
  t.equal(found(reader, 100).length, 60)
})

test('as long as few vectors came after the graph they are found beside it, and those that went are not', async t => {
  const root = t.testdir()
  const store = openTestStore(root, { exactBelow: 0 })
  await publish(store, 'shop', FILES)
  await grow(store, { 'new.py': 'anything' }, ['f3.py'])
  await using reader = await store.openReader('shop')
  t.equal(reader.vectorSearch, LARGE_SEARCH)
  const paths = reader.searchVectors(QUERY, 500).map(({ path }) => path)
  t.equal(paths[0], 'new.py')
  t.equal(paths.length, 60)
  t.notOk(paths.includes('f3.py'))
  t.same(found(reader), await exactly(root))
})
