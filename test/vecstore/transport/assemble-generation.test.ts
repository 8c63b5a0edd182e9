import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { checksumOf } from '../../../src/vecstore/format/durable-files.ts'
import { openStore, type Store } from '../../../src/vecstore/store.ts'
import { assembleGeneration, DamagedPieceError } from '../../../src/vecstore/transport/assemble-generation.ts'
import { piecesOf, type GenerationDescription } from '../../../src/vecstore/transport/description.ts'
import { describeGeneration } from '../../../src/vecstore/transport/describe-generation.ts'
import { index, manyFiles, prepare } from '../../indexer/index-fixture.ts'
import type { TestRepository } from '../../helpers/git-repository.ts'
import { flipByte } from '../store-fixture.ts'
import { contentsOf } from './made-generation.ts'
import { ObjectShelf } from './object-shelf.ts'

interface Machines {
  /** Where indexes are built. */
  store: Store
  repository: TestRepository
  projectDir: string
  /** Where they are read. */
  other: Store
  otherDir: string
  shelf: ObjectShelf
}

/** Two machines, of which the second has the project but no index of it. */
async function machines(t: { testdir: () => string }): Promise<Machines> {
  const { store, repository, root } = prepare(t, manyFiles(40))
  const otherRoot = join(root, '..', 'other')
  const other = openStore(otherRoot, { minFreeBytes: 0 })
  mkdirSync(otherRoot)
  await other.createProject('shop')
  return {
    store,
    repository,
    projectDir: join(root, 'shop'),
    other,
    otherDir: join(otherRoot, 'shop'),
    shelf: new ObjectShelf(),
  }
}

/** Indexes what the branch has, and puts it on the shelf. */
async function build({ store, repository, projectDir, shelf }: Machines): Promise<GenerationDescription> {
  const { generation } = await index(store, repository)
  const { description } = await shelf.put(projectDir, generation)
  return description
}

async function saidBy(store: Store): Promise<unknown> {
  await using reader = await store.openReader('shop')
  return {
    generation: reader.manifest.generation,
    files: reader.files().map(({ path }) => [path, reader.fileText('repo', path)]),
    words: reader.searchTerms(new Map([['cart_rate_2', 1]]), 10),
    definitions: reader.definitionsOf('cart_part_3'),
    vectors: reader.searchVectors(new Float32Array(reader.manifest.embedding.dimensions).fill(0.1), 10),
  }
}

/** Nothing but what is published: no folder of a build, none of another generation. */
const foldersIn = (projectDir: string): string[] =>
  readdirSync(projectDir)
    .filter(name => /^\d/.test(name))
    .sort()

const nothing = async (): Promise<Buffer> => {
  throw new Error('nothing should be fetched')
}

test('an index arrives on another machine, and of the next one only what is new', async t => {
  const all = await machines(t)
  const first = await build(all)
  const assembled = await assembleGeneration(all.otherDir, first, all.shelf.fetchPiece)
  t.same(assembled, {
    piecesFetched: piecesOf(first).size,
    bytesFetched: [...piecesOf(first).values()].reduce((sum, { bytes }) => sum + bytes, 0),
    bytesReused: 0,
  })
  t.same(await saidBy(all.other), await saidBy(all.store))
  t.match(await all.other.inspect('shop'), { kind: 'whole', vectorsWhole: true })

  await using old = await all.other.openReader('shop')
  const before = new Set(piecesOf(first).keys())
  all.repository.commit({ 'src/cart_7.py': 'def changed_part(price):\n    return price\n' })
  const second = await build(all)
  all.shelf.asked.length = 0
  const again = await assembleGeneration(all.otherDir, second, all.shelf.fetchPiece)
  t.same([...all.shelf.asked].sort(), [...piecesOf(second).keys()].filter(sha256 => !before.has(sha256)).sort())
  t.ok(again.bytesReused > 0)
  t.same(await saidBy(all.other), await saidBy(all.store))
  t.equal(old.definitionsOf('cart_part_7').length, 4, 'a reader keeps the generation that it opened')
  t.same(foldersIn(all.otherDir), ['000002'])

  t.match(await index(all.other, all.repository), { generation: 2 }, 'the index is known to be that of the commit')
  all.repository.commit({ 'src/cart_8.py': 'def another_part(price):\n    return price\n' })
  t.match(await index(all.other, all.repository), { generation: 3 }, 'builds go on from it')
})

test('what is there and whole is not fetched again, and stays as it was published', async t => {
  const all = await machines(t)
  const description = await build(all)
  await assembleGeneration(all.otherDir, description, all.shelf.fetchPiece)
  const publication = await all.other.publication('shop')
  t.match(await assembleGeneration(all.otherDir, description, nothing), { piecesFetched: 0 })
  t.equal(await all.other.publication('shop'), publication)
  writeFileSync(join(all.otherDir, 'CURRENT'), '000009\n')
  await assembleGeneration(all.otherDir, description, nothing)
  t.same(await saidBy(all.other), await saidBy(all.store), 'CURRENT is set right')
})

const WRONG: ReadonlyArray<(bytes: Buffer) => Buffer> = [
  bytes => Buffer.concat([bytes, Buffer.from('x')]),
  bytes => bytes.subarray(1),
  () => Buffer.alloc(0),
  bytes => Buffer.from(bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte))),
]

test('wrong bytes are refused wherever they are, by the name of their file; what is published stays', async t => {
  const all = await machines(t)
  const first = await build(all)
  await assembleGeneration(all.otherDir, first, all.shelf.fetchPiece)
  const before = contentsOf(all.otherDir)
  all.repository.commit({ 'src/cart_7.py': 'def changed_part(price):\n    return price\n' })
  const second = await build(all)
  const known = piecesOf(first)
  const needed = second.files.flatMap(({ path, pieces, recipe }) =>
    (recipe?.parts ?? pieces).flatMap(({ sha256 }) => (known.has(sha256) ? [] : [{ path, sha256 }])),
  )
  t.ok(new Set(needed.map(({ path }) => path)).size >= 4, 'manifest, catalogue, words and vectors')
  for (const { path, sha256 } of needed) {
    for (const wrong of WRONG) {
      const fetched = assembleGeneration(all.otherDir, second, async piece => {
        const bytes = await all.shelf.fetchPiece(piece)
        return piece.sha256 === sha256 ? wrong(bytes) : bytes
      })
      const error: unknown = await fetched.catch((error: unknown) => error)
      t.ok(error instanceof DamagedPieceError)
      t.match(error, { code: 'INDEX_INCOMPATIBLE', sha256 })
      t.match(error, { message: new RegExp(`^A piece of ${path} of generation 2 of the index of project shop was`) })
    }
    const unreachable = assembleGeneration(all.otherDir, second, piece =>
      piece.sha256 === sha256 ? Promise.reject(new Error('the store is away')) : all.shelf.fetchPiece(piece),
    )
    await t.rejects(unreachable, /the store is away/)
    t.same(contentsOf(all.otherDir), before, 'nothing changed, and nothing is left')
  }
  await assembleGeneration(all.otherDir, second, all.shelf.fetchPiece)
  t.same(await saidBy(all.other), await saidBy(all.store))
})

test('a damaged file of this machine is fetched, and made whole', async t => {
  const all = await machines(t)
  const description = await build(all)
  await assembleGeneration(all.otherDir, description, all.shelf.fetchPiece)
  for (const { path } of description.files) {
    const file = join(all.otherDir, '000001', path)
    const { sha256 } = await checksumOf(file)
    flipByte(file)
    const { piecesFetched } = await assembleGeneration(all.otherDir, description, all.shelf.fetchPiece)
    t.ok(piecesFetched > 0, path)
    t.equal((await checksumOf(file)).sha256, sha256, path)
  }
  rmSync(join(all.otherDir, '000001', 'catalogue.sqlite'))
  await assembleGeneration(all.otherDir, description, all.shelf.fetchPiece)
  t.same(await saidBy(all.other), await saidBy(all.store))
  t.same(foldersIn(all.otherDir), ['000001'])
})

test('a generation that this machine made on its own gives way to the one that counts', async t => {
  const all = await machines(t)
  await assembleGeneration(all.otherDir, await build(all), all.shelf.fetchPiece)
  all.repository.commit({ 'src/own.py': 'def own(): pass\n' }, { branch: 'own' })
  const own = all.repository.git('rev-parse', 'own')
  await index(all.other, all.repository, { commit: own })
  const publication = await all.other.publication('shop')
  all.repository.commit({ 'src/cart_7.py': 'def changed_part(price):\n    return price\n' })
  const second = await build(all)
  t.equal(second.generation, 2, 'both have this number')
  await assembleGeneration(all.otherDir, second, all.shelf.fetchPiece)
  t.same(await saidBy(all.other), await saidBy(all.store))
  t.not(await all.other.publication('shop'), publication, 'readers see that it is another one')

  await index(all.other, all.repository, { commit: own })
  t.same(foldersIn(all.otherDir), ['000003'])
  await assembleGeneration(all.otherDir, second, all.shelf.fetchPiece)
  t.same(await saidBy(all.other), await saidBy(all.store))
  t.same(foldersIn(all.otherDir), ['000002'])
})

test('a description that is not that of its manifest is refused before anything else is fetched', async t => {
  const all = await machines(t)
  const { generation, files } = await build(all)
  const wrong: Record<string, GenerationDescription> = {
    'a file is missing': { generation, files: files.filter(({ path }) => path !== 'catalogue.sqlite') },
    'a file too much': {
      generation,
      files: [...files, { path: 'vectors.hnsw', bytes: 0, sha256: '', pieces: [], recipe: null }],
    },
    'another checksum': {
      generation,
      files: files.map(file => (file.path === 'catalogue.sqlite' ? { ...file, sha256: 'a'.repeat(64) } : file)),
    },
    'another size': {
      generation,
      files: files.map(file => (file.path === 'catalogue.sqlite' ? { ...file, bytes: 1 } : file)),
    },
    'another number': { generation: generation + 1, files },
  }
  for (const [what, description] of Object.entries(wrong)) {
    all.shelf.asked.length = 0
    await t.rejects(
      assembleGeneration(all.otherDir, description, all.shelf.fetchPiece),
      { code: 'INDEX_INCOMPATIBLE' },
      what,
    )
    t.equal(all.shelf.asked.length, 1, 'the manifest alone')
    t.same(foldersIn(all.otherDir), [])
  }
  const reordered = files.map(file =>
    file.path === 'catalogue.sqlite' ? { ...file, pieces: file.pieces.toReversed() } : file,
  )
  const { length = 0 } = reordered.find(({ path }) => path === 'catalogue.sqlite')?.pieces ?? []
  t.ok(length > 1)
  await t.rejects(assembleGeneration(all.otherDir, { generation, files: reordered }, all.shelf.fetchPiece), {
    message: /^catalogue\.sqlite of generation 1 .* does not match its checksum/,
  })
})

test('a signal ends it, and a disk without room refuses it', async t => {
  const all = await machines(t)
  const description = await build(all)
  const ended = new AbortController()
  const hanging = assembleGeneration(
    all.otherDir,
    description,
    (piece, signal) => {
      if (all.shelf.asked.length < 2) return all.shelf.fetchPiece(piece)
      const { promise, reject } = Promise.withResolvers<Buffer>()
      signal.addEventListener('abort', () => reject(signal.reason))
      ended.abort(new Error('enough'))
      return promise
    },
    { signal: ended.signal },
  )
  await t.rejects(hanging, /enough/)
  await t.rejects(
    assembleGeneration(all.otherDir, description, all.shelf.fetchPiece, { minFreeBytes: Number.MAX_SAFE_INTEGER }),
    { code: 'DISK_FULL' },
  )
  t.same(foldersIn(all.otherDir), [])
  t.equal(await all.other.readManifest('shop'), null)
})

test('a project without a folder, and a manifest of another format, are no places to begin', async t => {
  const all = await machines(t)
  const description = await build(all)
  await t.rejects(assembleGeneration(join(all.otherDir, 'gone'), description, all.shelf.fetchPiece), { code: 'ENOENT' })
  const manifest = join(all.projectDir, '000001', 'manifest.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"formatVersion": \d+/, '"formatVersion": 99'))
  await t.rejects(describeGeneration(all.projectDir, 1), { code: 'INDEX_INCOMPATIBLE', message: /format 99/ })
})
