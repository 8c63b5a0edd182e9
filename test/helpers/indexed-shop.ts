import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createApiEmbedder } from '../../src/embedding/api-embedder.ts'
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createScopeChunker, type Chunker } from '../../src/indexer/chunker.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects/objects.ts'
import { openStore, type Store } from '../../src/vecstore/store.ts'
import { startModelServer, type ModelServer } from '../fakes/model-server.ts'
import { vectorOf } from '../fakes/text-vectors.ts'
import { createGitRepository, type TestFiles, type TestRepository } from './git-repository.ts'
import { testFolder } from './test-folder.ts'

const ADDRESS = 'https://example.com/shop'
const MODEL = 'scripted-embedding'
const DIMENSIONS = 8

/** A repository `shop` in a folder of clones, with the file that makes it one of them. */
export function createShopClone(clonedReposDir: string, files?: TestFiles): TestRepository {
  const repository = createGitRepository(join(clonedReposDir, 'shop'), { files })
  writeFileSync(
    join(repository.dir, 'faultline.json'),
    JSON.stringify({ formatVersion: 1, identity: ADDRESS, users: [{ project: 'shop', history: 'full' }] }),
  )
  return repository
}

interface IndexShopOptions {
  store: Store
  repository: TestRepository
  commit: string
  embedder: Embedder
  chunker?: Chunker
}

/** Indexes a commit of the clone as the project `shop`. */
export async function indexShop({
  store,
  repository: { dir: gitDir },
  commit,
  embedder,
  chunker = createScopeChunker(),
}: IndexShopOptions): Promise<void> {
  const repository = { repository: 'shop', gitDir, url: `${ADDRESS}.git`, branch: 'main', commit }
  await indexRepository(
    { projectName: 'shop', include: [], exclude: [], repository },
    { store, embedder, chunker, listTree, readBlobs },
  )
}

/** A clone and a store whose queries a scripted server embeds. */
interface EmbeddedShop {
  model: ModelServer
  repository: TestRepository
  store: Store
  /** The folder of the store. */
  storeDir: string
  /** What threads that resolve are started with. */
  workerData: object
  index: (commit: string) => Promise<void>
}

/** A project whose queries wait for a model server that answers when it is told to; its own index needs none. */
export async function embeddedShop(t: Test, files?: TestFiles): Promise<EmbeddedShop> {
  const dir = testFolder(t)
  const [clonedReposDir, storeDir] = [join(dir, 'clones'), join(dir, 'store')]
  const model = await startModelServer({ dimensions: DIMENSIONS })
  t.teardown(() => model.close())
  const repository = createShopClone(clonedReposDir, files)
  const store = openStore(storeDir, { minFreeBytes: 0 })
  const embedder = createApiEmbedder({
    model: MODEL,
    request: async texts => texts.map(text => vectorOf(text, DIMENSIONS)),
    cache: { get: () => new Map(), put: () => {} },
  })
  return {
    model,
    repository,
    store,
    storeDir,
    workerData: {
      vectorStoreDir: storeDir,
      clonedReposDir,
      embedding: { baseUrl: model.baseUrl, apiKey: null, model: MODEL },
    },
    index: commit => indexShop({ store, repository, commit, embedder }),
  }
}
