import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type Test } from 'tap'
import type { IndexResult } from '../../src/core/project.ts'
import type { IndexWorkerData } from '../../src/threads/index-worker.ts'
import type { IndexProgress } from '../../src/indexer/throttle.ts'
import { indexedCounts } from '../../src/resolver/context/row-counts.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { startIndexing } from '../../src/services/indexing.ts'
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
import { eventually, processesWith } from '../helpers/processes.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { searchWords } from '../helpers/search-words.ts'

const ENTRY = fileURLToPath(new URL('../../src/threads/index-entry.ts', import.meta.url))

/** The processes of this test that make indexes. */
const indexers = (): number[] =>
  processesWith(ENTRY).flatMap(line => {
    const pid = Number.parseInt(line, 10)
    return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${process.pid}\n`) ? [pid] : []
  })

interface Fixture {
  root: string
  crashes: unknown[]
  run: (options?: {
    signal?: AbortSignal
    onProgress?: (progress: IndexProgress) => void
    projectName?: string
  }) => Promise<IndexResult>
}

function prepare(
  t: Test,
  files: Record<string, string>,
  { idleMs, ...settings }: Partial<IndexWorkerData> & { idleMs?: number } = {},
): Fixture {
  const dir = testFolder(t)
  const root = join(dir, 'store')
  const repository = createGitRepository(join(dir, 'repo.git'), { files })
  const crashes: unknown[] = []
  const log = { info: () => {}, warn: () => {}, error: (given: unknown) => crashes.push(given) }
  const data: IndexWorkerData = {
    vectorStoreDir: root,
    embedding: null,
    chunker: 'scopes',
    minFreeBytes: 0,
    ...settings,
  }
  const indexing = startIndexing(data, { log, idleMs })
  t.teardown(() => indexing.close())
  const request = {
    repository: {
      repository: 'repo',
      gitDir: repository.dir,
      url: 'https://example.com/repo',
      branch: 'main',
      commit: repository.git('rev-parse', 'main'),
      history: 'full' as const,
    },
    include: [],
    exclude: [],
  }
  return {
    root,
    crashes,
    run: ({ projectName = 'shop', signal = new AbortController().signal, onProgress = () => {} } = {}) =>
      indexing.indexRepository(
        { projectName, ...request },
        { signal, onProgress: progress => onProgress(progress as IndexProgress) },
      ),
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

test('a process indexes a repository and reports its progress', async t => {
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

test('an expected failure keeps its code and fix on the way out of the process', async t => {
  const { run } = prepare(t, { 'a.txt': 'nothing\n' })
  await t.rejects(run(), { code: 'NOTHING_TO_INDEX', fix: String })
  await t.rejects(run({ projectName: '../x' }), { code: 'VALIDATION_FAILED' })
})

test('aborting ends the process in the middle; the next run is not disturbed', async t => {
  const { root, run, crashes } = prepare(
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
  t.same(crashes, [], 'it was ended on purpose')
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

test('the process ends when there is nothing to index, and the next index starts another', async t => {
  const { run } = prepare(t, { 'a.py': 'alpha = 1\n' }, { idleMs: 0 })
  const { generation } = await run()
  t.ok(await eventually(() => indexers().length === 0))
  t.equal((await run()).generation, generation)
  const [again, third] = await Promise.all([run(), run()])
  t.same([again.generation, third.generation], [generation, generation])
  t.ok(await eventually(() => indexers().length === 0))
})

test('a process that is lost fails its index alone', async t => {
  const { run, crashes } = prepare(t, { 'a.py': 'alpha = 1\n' })
  await run()
  for (const pid of indexers()) process.kill(pid, 'SIGKILL')
  t.ok(await eventually(() => crashes.length === 1))
  t.match(await run(), { filesIndexed: 1 })
})
