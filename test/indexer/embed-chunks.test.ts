import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import type { Embedding } from '../../src/indexer/embed-chunks.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects.ts'
import { openStore, type Store } from '../../src/vecstore/store.ts'
import { createGitRepository, type TestRepository } from '../helpers/git-repository.ts'

/** Answers as an endpoint does: its fit is known only from an answer. Counts the texts it is asked for. */
function apiEmbedder (): Embedder & { texts: string[], isDown: boolean } {
  return {
    provider: 'api',
    model: 'api-model',
    texts: [],
    isDown: false,
    async embed (texts) {
      if (this.isDown) throw new FaultlineError('EMBEDDING_UNAVAILABLE', 'down')
      this.texts.push(...texts)
      return { vectors: texts.map(unitVectorOf), fitId: 'api-model:16' }
    },
  }
}

function unitVectorOf (text: string): Float32Array {
  const vector = Float32Array.from(createHash('sha256').update(text).digest().subarray(0, 16), byte => byte - 127.5)
  const norm = Math.hypot(...vector)
  return vector.map(value => value / norm)
}

function prepare (t: { testdir: () => string }, files: Record<string, string>): { store: Store, repository: TestRepository, folder: string } {
  const folder = t.testdir()
  return { folder, store: openStore(join(folder, 'store'), { minFreeBytes: 0 }), repository: createGitRepository(join(folder, 'repo.git'), { files }) }
}

function index (store: Store, { dir, git }: TestRepository, embedding: Embedding, { project = 'shop', name = 'repo' } = {}) {
  const request = { projectName: project, repository: { repository: name, gitDir: dir, url: `https://example.com/${name}`, branch: null, commit: git('rev-parse', 'main') }, include: [], exclude: [] }
  return indexRepository(request, { listTree, readBlobs, store, chunker: createLineChunker(), ...embedding })
}

/** Files of one chunk each, whose text no other topic shares. */
const files = (topic: string, count: number): Record<string, string> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.py`, `${topic}_${i} = ${i}\n`]))

test('after words were published first, what did not change keeps the vectors of an endpoint', async (t) => {
  const { store, repository } = prepare(t, files('a', 200))
  const embedder = apiEmbedder()
  await index(store, repository, { embedder })
  for (const [topic, count] of [['b', 100], ['c', 10], ['d', 90]] as const) {
    repository.commit(files(topic, count))
    embedder.texts.length = 0
    t.match(await index(store, repository, { embedder }), { chunksAdded: count, chunksTotal: 200 })
    t.equal(embedder.texts.length, count)
    t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: true })
    await using reader = await store.openReader('shop')
    for (const path of ['f0.py', 'f199.py']) t.equal(reader.searchVectors(unitVectorOf(reader.fileText('repo', path) ?? ''), 1)[0]?.path, path)
  }
})

test('a build that shares the index of another project goes on when that is deleted meanwhile', async (t) => {
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
