import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { IndexResult } from '../../src/core/project.ts'
import type { IndexWorkerData } from '../../src/threads/index-worker.ts'
import type { IndexProgress } from '../../src/indexer/throttle.ts'
import { indexedCounts } from '../../src/resolver/context/row-counts.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { ThreadPool } from '../../src/threads/pool.ts'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { LSA } from '../../src/embedding/lsa/lsa.ts'
import { indexRepository } from '../../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../../src/repos/objects/objects.ts'
import { contentTools } from '../../src/threads/content-worker.ts'
import type { GenerationReader } from '../../src/vecstore/generation-reader.ts'
import type { StoredManifest } from '../../src/vecstore/format/stored-manifest.ts'
import { openStore } from '../../src/vecstore/store.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { searchWords } from '../helpers/search-words.ts'

interface Fixture {
  root: string
  pool: ThreadPool
  run: (options?: {
    signal?: AbortSignal
    onProgress?: (progress: IndexProgress) => void
    projectName?: string
  }) => Promise<IndexResult>
}

function prepare(t: Test, files: Record<string, string>, settings: Partial<IndexWorkerData> = {}): Fixture {
  const dir = testFolder(t)
  const root = join(dir, 'store')
  const repository = createGitRepository(join(dir, 'repo.git'), { files })
  const pool: ThreadPool = new ThreadPool('index-worker', {
    threads: 1,
    workerData: { vectorStoreDir: root, embedding: null, chunker: 'scopes', minFreeBytes: 0, ...settings },
  })
  t.teardown(() => pool.close())
  const request = {
    repository: {
      repository: 'repo',
      gitDir: repository.dir,
      url: 'https://example.com/repo',
      branch: 'main',
      commit: repository.git('rev-parse', 'main'),
    },
    include: [],
    exclude: [],
  }
  return {
    root,
    pool,
    run: ({ projectName = 'shop', ...options } = {}) =>
      pool.run<IndexResult, IndexProgress>('indexRepository', { request: { projectName, ...request } }, options),
  }
}

/** The same files indexed without another thread. */
async function indexAlone(t: Test, files: Record<string, string>): Promise<GenerationReader> {
  const dir = testFolder(t)
  const repository = createGitRepository(join(dir, 'alone.git'), { files })
  const store = openStore(join(dir, 'alone'), { minFreeBytes: 0 })
  const commit = repository.git('rev-parse', 'main')
  await indexRepository(
    {
      projectName: 'shop',
      repository: {
        repository: 'repo',
        gitDir: repository.dir,
        url: 'https://example.com/repo',
        branch: 'main',
        commit,
      },
      include: [],
      exclude: [],
    },
    {
      ...contentTools({ chunker: 'scopes' }),
      listTree,
      readBlobs,
      store,
      embedder: createLocalEmbedder(),
      learned: LSA,
    },
  )
  const reader = await store.openReader('shop')
  t.teardown(() => reader[Symbol.asyncDispose]())
  return reader
}

test('a thread indexes a repository and reports its progress', async t => {
  const { root, run } = prepare(t, { 'a.py': 'alpha = 1\n', 'b.py': 'beta = 2\n' })
  const seen: IndexProgress[] = []
  t.match(await run({ onProgress: progress => seen.push(progress) }), {
    filesIndexed: 2,
    chunksTotal: 2,
    generation: 1,
  })
  t.match(seen[0], { phase: 'files', done: 0, total: 2 })
  await using reader = await openStore(root).openReader('shop')
  t.equal(searchWords(reader, 'beta', 1)[0]?.path, 'b.py')
  t.equal(indexedCounts(reader.rowTokens('repo', 'b.py'), 1)?.[0], countTokens(' | beta = 2\n'))
  t.equal(reader.rowTokens('repo', 'gone.py'), null)
})

test('of many files two threads make the contents, and the index is the same', async t => {
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [
      `src/part_${i}.py`,
      `import part_${(i * 7) % 400}\n\nclass Part${i}:\n    def total_${i % 9}(self):\n        return ${i}\n`.repeat(9),
    ]),
  )
  const { root, run } = prepare(t, files)
  await run()
  await using shared = await openStore(root).openReader('shop')
  const alone = await indexAlone(t, files)
  t.match(shared.manifest, {
    filesIndexed: 400,
    chunksTotal: alone.manifest.chunksTotal,
    segments: (alone.manifest as StoredManifest).segments.map(({ lexical }) => ({ lexical })),
  })
  for (const path of ['src/part_0.py', 'src/part_399.py']) {
    for (const read of ['fileText', 'outline', 'rowTokens', 'chunksOf'] as const) {
      t.same(shared[read]('repo', path), alone[read]('repo', path), `${read} of ${path}`)
    }
    t.same(shared.importersOf('repo', path), alone.importersOf('repo', path))
  }
})

test('an expected failure keeps its code and fix on the way out of the thread', async t => {
  const { run } = prepare(t, { 'a.txt': 'nothing\n' })
  await t.rejects(run(), { code: 'NOTHING_TO_INDEX', fix: String })
  await t.rejects(run({ projectName: '../x' }), { code: 'VALIDATION_FAILED' })
})

test('aborting ends the thread in the middle; the next run in the same pool is not disturbed', async t => {
  const { root, run } = prepare(
    t,
    Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`f${i}.py`, `def f${i}(): return ${i}\n`.repeat(50)])),
  )
  const controller = new AbortController()
  const reason = new Error('cancelled')
  await t.rejects(
    run({
      signal: controller.signal,
      onProgress: ({ done }) => {
        if (done > 0) controller.abort(reason)
      },
    }),
    reason,
  )
  t.match(await run(), { filesIndexed: 600, generation: 2 }) // the first is the one without vectors
  t.same(readdirSync(join(root, 'shop')).sort(), ['000002', 'CURRENT', 'project.json'])
})

test('with a model server, what was embedded before a failure is not asked for again', async t => {
  await using server = await startModelServer({
    dimensions: 16,
    embeddings: [{}, { status: 401, body: { error: { message: 'no' } } }],
  })
  const files = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`f${String(i).padStart(3, '0')}.py`, `x = ${i}\n`]),
  )
  const { root, run } = prepare(t, files, {
    embedding: { baseUrl: server.baseUrl, apiKey: null, model: 'scripted-embedding' },
  })
  await t.rejects(run(), { code: 'EMBEDDING_UNAVAILABLE' })
  t.match(await run(), {
    chunksTotal: 100,
    embedding: { provider: 'api', model: 'scripted-embedding', dimensions: 16 },
  })
  const asked = server.requests.flatMap(({ body }) => (Array.isArray(body?.input) ? [body.input.length] : []))
  t.same(asked, [64, 36, 36])
  t.match(await openStore(root).readManifest('shop'), { embedding: { fitId: 'api:scripted-embedding:16' } })
})

test('a pool goes on after its threads were ended, which are not while one works', async t => {
  const { pool, run } = prepare(t, { 'a.py': 'alpha = 1\n' })
  await pool.endIdle()
  const { generation } = await run()
  await pool.endIdle()
  const [again] = await Promise.all([run(), pool.endIdle()])
  t.equal(again.generation, generation)
  t.equal((await run()).generation, generation)
})

test('a warm-up that waits for a thread does not keep it from being ended', async t => {
  const { pool, run } = prepare(t, { 'a.py': 'alpha = 1\n' })
  let threads = 0
  const count = (): void => {
    threads++
  }
  process.on('worker', count)
  t.teardown(() => process.off('worker', count))
  const first = run()
  pool.warmUp().catch(() => {}) // its thread may be gone before
  await first
  await pool.endIdle()
  await run()
  t.equal(threads, 2)
})
