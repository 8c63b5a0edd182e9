import { join } from 'node:path'
import type { IndexResult } from '../../src/core/project.ts'
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { createLineChunker, type Chunker } from '../../src/indexer/chunker.ts'
import type { ContentHelper } from '../../src/indexer/content-queue.ts'
import type { LearnedEmbedding } from '../../src/indexer/embed-chunks.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import type { IndexProgress } from '../../src/indexer/throttle.ts'
import { listTree, readBlobs } from '../../src/repos/objects/objects.ts'
import type { CountedRows } from '../../src/vecstore/catalogue/row-tokens.ts'
import { openStore, type Store } from '../../src/vecstore/store.ts'
import { createGitRepository, type TestRepository } from '../helpers/git-repository.ts'

export const FILES = {
  'src/user.py': 'def load_user(user_id):\n    return users[user_id]\n',
  'src/cart.py': 'class Cart:\n    def total(self): return sum(self.prices)\n',
  'README.md': '# Shop\n',
  'logo.png': Buffer.from([0, 1, 2]),
  '.env': 'KEY=1\n',
  'node_modules/x/index.js': 'x\n',
  'data.py': Buffer.from('a\u0000b'),
}

/** The local embedder, counting the texts it is asked for; or one of another space. */
export function countingEmbedder({ model = 'hash-512', fitId = 'hash-512-v1', isFitKnown = true } = {}): Embedder & {
  texts: string[]
} {
  const local = createLocalEmbedder()
  const texts: string[] = []
  return {
    provider: 'local',
    model,
    ...(isFitKnown ? { fitId } : {}),
    texts,
    async embed(asked) {
      texts.push(...asked)
      return { vectors: (await local.embed(asked)).vectors, fitId }
    },
  }
}

export interface Options {
  project?: string
  name?: string
  commit?: string
  branch?: string
  include?: string[]
  exclude?: string[]
  embedder?: Embedder
  learned?: LearnedEmbedding
  chunker?: Chunker
  maxChunks?: number
  publishEarlyMs?: number
  startHelper?: () => ContentHelper
  countRowsOf?: (cataloguePath: string) => CountedRows[]
  signal?: AbortSignal
  onProgress?: (progress: IndexProgress) => void
}

export function index(store: Store, repository: TestRepository, options: Options = {}): Promise<IndexResult> {
  const {
    project = 'shop',
    name = 'repo',
    commit = repository.git('rev-parse', 'main'),
    branch = 'main',
    include = [],
    exclude = [],
    embedder = createLocalEmbedder(),
    learned,
    chunker = createLineChunker(),
    maxChunks,
    publishEarlyMs,
    startHelper,
    countRowsOf,
    signal,
    onProgress,
  } = options
  const request = {
    projectName: project,
    repository: { repository: name, gitDir: repository.dir, url: `https://example.com/${name}`, branch, commit },
    include,
    exclude,
  }
  return indexRepository(
    request,
    { listTree, readBlobs, store, embedder, learned, chunker, maxChunks, publishEarlyMs, startHelper, countRowsOf },
    { signal, onProgress },
  )
}

export function prepare(
  t: { testdir: () => string },
  files: Record<string, string | Buffer> = FILES,
): { store: Store; repository: TestRepository; root: string } {
  const dir = t.testdir()
  return {
    store: openStore(join(dir, 'store'), { minFreeBytes: 0 }),
    repository: createGitRepository(join(dir, 'repo.git'), { files }),
    root: join(dir, 'store'),
  }
}

export async function paths(store: Store, project = 'shop'): Promise<string[]> {
  await using reader = await store.openReader(project)
  return reader.files().map(({ repository, path }) => `${repository}/${path}`)
}

/** Files of enough chunks to learn from, each with words of its own and words that it shares. */
export function manyFiles(count: number, topic = 'cart'): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `src/${topic}_${i}.py`,
      `def ${topic}_part_${i % 9}(price, tax):\n    return price * tax + ${topic}_rate_${i % 5}\n`,
    ]),
  )
}
