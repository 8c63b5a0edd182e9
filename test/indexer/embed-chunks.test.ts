import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { LSA } from '../../src/embedding/lsa/lsa.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import { embedChunks, type Embedding } from '../../src/indexer/embed-chunks.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects/objects.ts'
import { openStore, type Store } from '../../src/vecstore/store.ts'
import { addFiles, contentOf } from '../vecstore/fixture.ts'
import { createGitRepository, type TestRepository } from '../helpers/git-repository.ts'

function unitVectorOf(text: string): Float32Array {
  const vector = Float32Array.from(createHash('sha256').update(text).digest().subarray(0, 16), byte => byte - 127.5)
  const norm = Math.hypot(...vector)
  return vector.map(value => value / norm)
}

/** Answers as an endpoint does: its fit is known only from an answer. Counts the texts it is asked for. */
function apiEmbedder(): Embedder & { texts: string[]; isDown: boolean } {
  return {
    provider: 'api',
    model: 'api-model',
    texts: [],
    isDown: false,
    async embed(texts) {
      if (this.isDown) throw new FaultlineError('EMBEDDING_UNAVAILABLE', 'down')
      this.texts.push(...texts)
      return { vectors: texts.map(unitVectorOf), fitId: 'api-model:16' }
    },
  }
}

function prepare(
  t: { testdir: () => string },
  files: Record<string, string>,
): { store: Store; repository: TestRepository; folder: string } {
  const folder = t.testdir()
  return {
    folder,
    store: openStore(join(folder, 'store'), { minFreeBytes: 0 }),
    repository: createGitRepository(join(folder, 'repo.git'), { files }),
  }
}

function index(
  store: Store,
  { dir, git }: TestRepository,
  embedding: Embedding,
  { project = 'shop', name = 'repo' } = {},
) {
  const request = {
    projectName: project,
    repository: {
      repository: name,
      gitDir: dir,
      url: `https://example.com/${name}`,
      branch: null,
      commit: git('rev-parse', 'main'),
    },
    include: [],
    exclude: [],
  }
  return indexRepository(request, { listTree, readBlobs, store, chunker: createLineChunker(), ...embedding })
}

/** Files of one chunk each, whose text no other topic shares. */
const files = (topic: string, count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.py`, `${topic}_${i} = ${i}\n`]))

test('after words were published first, what did not change keeps the vectors of an endpoint', async t => {
  const { store, repository } = prepare(t, files('a', 200))
  const embedder = apiEmbedder()
  await index(store, repository, { embedder })
  for (const [topic, count] of [
    ['b', 100],
    ['c', 10],
    ['d', 90],
  ] as const) {
    repository.commit(files(topic, count))
    embedder.texts.length = 0
    t.match(await index(store, repository, { embedder }), { chunksAdded: count, chunksTotal: 200 })
    t.equal(embedder.texts.length, count)
    t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: true })
    await using reader = await store.openReader('shop')
    for (const path of ['f0.py', 'f199.py']) {
      t.equal(reader.searchVectors(unitVectorOf(reader.fileText('repo', path) ?? ''), 1)[0]?.path, path)
    }
  }
})

test('a build that shares the index of another project goes on when that is deleted meanwhile', async t => {
  const { store, repository } = prepare(t, files('a', 200))
  const embedder = apiEmbedder()
  await index(store, repository, { embedder }, { project: 'first' })
  repository.commit(files('b', 100))
  embedder.texts.length = 0
  const begin: Store['begin'] = async (...args) => {
    const builder = await store.begin(...args)
    await store.deleteProject('first')
    return builder
  }
  await index({ ...store, begin }, repository, { embedder }, { project: 'second' })
  t.equal(embedder.texts.length, 100)
  t.match(await store.inspect('second'), { kind: 'whole', vectorsWhole: true })
})

test(
  'a segment of which nothing is left does not keep the others from their vectors, whichever embedder they ' + 'had',
  async t => {
    const { store, repository, folder } = prepare(t, files('a', 5))
    const other = createGitRepository(join(folder, 'other.git'), { files: files('b', 300) })
    const embedder = apiEmbedder()
    const isWhole = async () => t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: true })
    await index(store, repository, { embedder: createLocalEmbedder() })
    await index(store, other, { embedder: createLocalEmbedder() }, { name: 'other' })
    repository.commit(files('c', 5))
    await index(store, repository, { embedder })
    await isWhole()

    await store.deleteProject('shop')
    embedder.isDown = true
    repository.commit(files('d', 61))
    for (const [name, git] of [
      ['repo', repository],
      ['other', other],
    ] as const) {
      await t.rejects(index(store, git, { embedder }, { name }), { code: 'EMBEDDING_UNAVAILABLE' })
    }
    repository.commit(files('e', 61))
    embedder.isDown = false
    t.match(await index(store, repository, { embedder }), { embedding: { model: 'api-model', dimensions: 16 } })
    await isWhole()
  },
)

test(
  'words of chunks whose vectors were never made, as their process was killed, count when they are ' + 'made',
  async t => {
    const growth = []
    for (const isKilled of [true, false]) {
      const store = openStore(join(t.testdir(), 'store'), { minFreeBytes: 0 })
      const build = async (added: Record<string, string>, { isCut = false } = {}) => {
        await using builder = await store.begin('shop', 'copy')
        await addFiles(builder, added)
        const vectors = await builder.finishText(contentOf(1))
        if (isCut) return await builder.publish()
        await embedChunks(vectors, { embedder: createLocalEmbedder(), learned: LSA }, { onProgress() {} })
        await vectors.finish()
        return await builder.publish()
      }
      const shared = (from: number, count: number, word: string) =>
        Object.fromEntries(
          Array.from({ length: count }, (_, i) => [
            `f${from + i}.py`,
            `def part(price, tax):\n    return price * ${word}_${i % 3}\n`,
          ]),
        )
      await build(shared(0, 80, 'tax'))
      await build(shared(80, 4, 'unheard'), { isCut: isKilled })
      growth.push((await build(shared(90, 1, 'tariff'))).growth)
    }
    t.ok((growth[0]?.unknownOccurrences ?? 0) > 0)
    t.same({ ...growth[0], countedThrough: 85 }, growth[1])
  },
)

test('a file that changed is embedded anew, although its content has the number of the one before', async t => {
  const { store, repository } = prepare(t, { 'a.py': 'a = 1\n', 'b.py': 'b = 1\n' })
  const embedder = apiEmbedder()
  await index(store, repository, { embedder })
  embedder.texts = []
  repository.commit({ 'a.py': 'a = 2\n', 'moved.py': 'b = 1\n', 'b.py': null })
  await index(store, repository, { embedder })
  t.equal(embedder.texts.length, 1)
  t.match(embedder.texts[0], 'a = 2')
})
