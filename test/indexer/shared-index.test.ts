import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { LSA } from '../../src/embedding/lsa/lsa.ts'
import { createLineChunker, createScopeChunker, type Chunker } from '../../src/indexer/chunker.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects/objects.ts'
import { openStore, type Store } from '../../src/vecstore/store.ts'
import { createGitRepository, type TestRepository } from '../helpers/git-repository.ts'

const FILES = Object.fromEntries(
  Array.from({ length: 150 }, (_, i) => [
    `src/part_${i}.py`,
    `def part_${i}(price, tax):\n    return price * tax + rate_${i % 9}\n`,
  ]),
)

/** The blobs that were read of git while `work` ran, and its result. */
async function counting<T>(work: (read: typeof readBlobs) => Promise<T>): Promise<{ blobs: number; result: T }> {
  let blobs = 0
  const read: typeof readBlobs = async function* (gitDir, oids, signal) {
    for await (const blob of readBlobs(gitDir, oids, signal)) {
      blobs++
      yield blob
    }
  }
  return { result: await work(read), blobs }
}

interface Options {
  commit?: string
  exclude?: string[]
  chunker?: Chunker
  name?: string
}

function index(
  store: Store,
  projectName: string,
  repository: TestRepository,
  {
    commit = repository.git('rev-parse', 'main'),
    exclude = [],
    chunker = createScopeChunker(),
    name = 'repo',
  }: Options = {},
) {
  const request = {
    projectName,
    repository: { repository: name, gitDir: repository.dir, url: 'https://example.com/repo', branch: null, commit },
    include: [],
    exclude,
  }
  return counting(read =>
    indexRepository(request, {
      listTree,
      readBlobs: read,
      store,
      embedder: createLocalEmbedder(),
      learned: LSA,
      chunker,
    }),
  )
}

function prepare(t: { testdir: () => string }) {
  const dir = t.testdir()
  return {
    root: join(dir, 'store'),
    store: openStore(join(dir, 'store'), { minFreeBytes: 0 }),
    repository: createGitRepository(join(dir, 'repo.git'), { files: FILES }),
  }
}

test('a second project of a repository takes over what the first has, and reads only what differs', async t => {
  const { root, store, repository } = prepare(t)
  t.equal((await index(store, 'release', repository)).blobs, 150)
  const { fitId } = (await store.readManifest('release'))?.embedding ?? {}
  repository.commit({
    'src/part_0.py': 'def renewed(): pass\n',
    'src/new.py': 'def fresh(): pass\n',
    'src/part_1.py': null,
  })
  const { blobs, result } = await index(store, 'main', repository, { exclude: ['src/part_2.py'] })
  t.equal(blobs, 2)
  t.match(result, {
    filesIndexed: 149,
    chunksTotal: 149,
    chunksAdded: 149,
    chunksRemoved: 0,
    generation: 1,
    filesSkipped: { excluded: 1 },
  })
  t.match(await store.readManifest('main'), {
    indexState: 'ready',
    filesIndexed: 149,
    embedding: { fitId },
    repositories: [{ repository: 'repo', exclude: ['src/part_2.py'] }],
  })
  t.equal(statSync(join(root, 'main/000001/fit.bin')).nlink, 2, 'what is the same is there once')

  await store.deleteProject('release')
  await using reader = await store.openReader('main')
  t.equal(reader.files().length, 149)
  t.equal(reader.searchTerms(new Map([['price', 1]]), 500).length, 147)
  t.same(reader.definitionsOf('part_1'), [])
  t.equal(reader.definitionsOf('fresh')[0]?.path, 'src/new.py')
  const fit = LSA.openFit(reader.fit ?? new Uint8Array())
  const query = LSA.createEmbedder(fit).embedQuery('def renewed rate_3 part')
  const vectors = reader.searchVectors(query ?? new Float32Array(), 500)
  t.equal(vectors.length, 149)
})

test(
  'the project to take over is the one with the same commit, else the newest; never one of several ' +
    'repositories or another chunker',
  async t => {
    const { store, repository } = prepare(t)
    const first = repository.git('rev-parse', 'main')
    const other = createGitRepository(join(repository.dir, '../other.git'), { files: { 'x.py': 'x = 1\n' } })
    await index(store, 'lines', repository, { chunker: createLineChunker() })
    t.equal((await index(store, 'whole', repository)).blobs, 150, 'cut in another way')
    const second = repository.commit({ 'src/more.py': 'more = 1\n' })
    await index(store, 'newer', repository, { commit: second })
    t.equal((await index(store, 'again', repository, { commit: first })).blobs, 0)
    await index(store, 'whole', other, { name: 'other' })
    await index(store, 'again', other, { name: 'other' })
    t.equal((await index(store, 'third', repository, { commit: first })).blobs, 0, 'from the newer one')
    await store.deleteProject('newer')
    await store.deleteProject('third')
    t.equal((await index(store, 'alone', repository)).blobs, 151)
  },
)

test('where what it could take over is damaged or goes away, a project is indexed by itself', async t => {
  const { root, store, repository } = prepare(t)
  await index(store, 'first', repository)
  const begin: Store['begin'] = async (...args) => {
    if (typeof args[1] === 'object') rmSync(join(root, 'first/000001/segments'), { recursive: true })
    return await store.begin(...args)
  }
  const { blobs, result } = await index({ ...store, begin }, 'second', repository)
  t.equal(blobs, 150)
  t.match(result, { chunksTotal: 150, generation: 1 })
  t.same(readdirSync(join(root, 'second')).sort(), ['000001', 'CURRENT', 'project.json'])
})
