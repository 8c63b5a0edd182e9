import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { createLineChunker } from '../src/indexer/chunker.ts'
import { indexRepository } from '../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../src/repos/objects/objects.ts'
import { createRepos } from '../src/repos/repos.ts'
import { openStore } from '../src/vecstore/store.ts'
import { usageOf, watchMemory } from './measure.ts'

export interface SeedRun {
  wallMs: number
  cpuMs: number
  peak: { own: number; tree: number }
  chunks: number
}

/**
 * What a plain retrieval server does, by the same parts: clone, windows of 500 lines that share 50, hashed words, HNSW;
 * all of it for each commit.
 */
export async function measureSeed(repository: string, commit: string): Promise<SeedRun> {
  const root = mkdtempSync(join(tmpdir(), 'faultline-plain-'))
  const repos = createRepos({
    clonedReposDir: join(root, 'clones'),
    allowLocalRepos: ['/'],
    allowPrivateHosts: false,
    gitTokens: new Map(),
  })
  const memory = watchMemory(process.pid)
  const before = usageOf(process.pid)
  const startedAt = performance.now()
  try {
    const cloned = await repos.sync(
      { url: repository, ref: commit, projectName: 'bench' },
      { signal: new AbortController().signal, onProgress: () => {} },
    )
    const deps = {
      store: openStore(join(root, 'store'), { minFreeBytes: 0 }),
      embedder: createLocalEmbedder(),
      chunker: createLineChunker(),
      listTree,
      readBlobs,
    }
    const { chunksTotal } = await indexRepository(
      { projectName: 'bench', repository: cloned, include: [], exclude: [] },
      deps,
    )
    return {
      wallMs: Math.round(performance.now() - startedAt),
      cpuMs: usageOf(process.pid).cpuMs - before.cpuMs,
      peak: memory.peak(),
      chunks: chunksTotal,
    }
  } finally {
    memory.peak()
    await repos.close()
    rmSync(root, { recursive: true, force: true })
  }
}
