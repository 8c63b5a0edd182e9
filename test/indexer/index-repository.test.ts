import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { NEEDS_HNSW } from '../helpers/hnsw.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import { FaultlineError } from '../../src/core/errors.ts'
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { LSA } from '../../src/embedding/lsa/lsa.ts'
import type { IndexProgress } from '../../src/indexer/throttle.ts'
import { openStore } from '../../src/vecstore/store.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { searchWords } from '../helpers/search-words.ts'
import { type Options, countingEmbedder, index, manyFiles, paths, prepare } from './index-fixture.ts'

test('what a commit tracks is indexed, and what is skipped is counted by reason', async t => {
  const { store, repository } = prepare(t)
  const result = await index(store, repository)
  t.match(result, {
    filesIndexed: 3,
    filesSkipped: { binary: 2, secret: 1, ignored: 1 },
    chunksAdded: 3,
    chunksRemoved: 0,
    chunksTotal: 3,
    languages: { python: 2, markdown: 1 },
    embedding: { provider: 'local', model: 'hash-512', dimensions: 512 },
    generation: 1,
    timingsMs: { read: Number, chunk: Number, embed: Number, store: Number },
  })
  await using reader = await store.openReader('shop')
  t.match(reader.manifest, {
    filesIndexed: 3,
    chunksTotal: 3,
    chunker: 'lines-500-50-whole',
    repositories: [{ repository: 'repo', commit: result.commit, filesIndexed: 3, filesSkipped: { binary: 2 } }],
  })
  t.equal(searchWords(reader, 'load user', 1)[0]?.path, 'src/user.py')
  const [query] = (await createLocalEmbedder().embed(['sum of the prices in a cart'])).vectors
  t.equal(reader.searchVectors(query ?? new Float32Array(), 1)[0]?.path, 'src/cart.py')
})

test('the same commit again does nothing and says so', async t => {
  const { store, repository } = prepare(t)
  const first = await index(store, repository)
  const embedder = countingEmbedder()
  const again = await index(store, repository, { embedder })
  t.match(again, { ...first, chunksAdded: 0, generation: 1, timingsMs: {} })
  t.same(embedder.texts, [])
})

test('a project holds several repositories; indexing one leaves the others as they are', async t => {
  const { store, repository, root } = prepare(t)
  const other = createGitRepository(join(root, '../other.git'), {
    files: { 'lib/x.go': 'package x\n', 'src/user.py': 'other = 1\n' },
  })
  await index(store, repository)
  const second = await index(store, other, { name: 'other' })
  t.match(second, { filesIndexed: 2, chunksTotal: 2, languages: { go: 1, python: 1 } })
  t.match(await store.readManifest('shop'), {
    filesIndexed: 5,
    chunksTotal: 5,
    languages: { go: 1, python: 3, markdown: 1 },
    repositories: [{ repository: 'repo' }, { repository: 'other' }],
  })
  repository.commit({ 'src/cart.py': null })
  const embedder = countingEmbedder()
  await index(store, repository, { embedder })
  t.same(embedder.texts, [])
  t.same(await paths(store), ['other/lib/x.go', 'other/src/user.py', 'repo/README.md', 'repo/src/user.py'])
})

test(
  'with another model, chunker or fit all repositories are embedded again from their stored text; only ' +
    'another chunker cuts them again',
  async t => {
    const { store, repository, root } = prepare(t, { 'a.py': 'alpha = 1\n' })
    const other = createGitRepository(join(root, '../other.git'), { files: { 'b.py': 'beta = 2\n' } })
    await index(store, repository)
    await index(store, other, { name: 'other' })

    const remade: Options[] = [
      { embedder: countingEmbedder({ model: 'hash-x', fitId: 'x-1' }) },
      { embedder: countingEmbedder({ model: 'hash-x', fitId: 'x-2' }) },
      {
        embedder: countingEmbedder({ model: 'hash-x', fitId: 'x-2' }),
        chunker: { ...createLineChunker(), name: 'other-chunker' },
      },
      // A server that has another model behind the same name shows it only in its answers: here when a new file is
      // embedded.
      {
        embedder: countingEmbedder({ model: 'hash-x', fitId: 'x-3', isFitKnown: false }),
        chunker: { ...createLineChunker(), name: 'other-chunker' },
      },
    ]
    for (const [i, options] of remade.entries()) {
      if (i === 3) repository.commit({ 'c.py': 'gamma = 3\n' })
      const result = await index(store, repository, options)
      const { texts } = options.embedder as ReturnType<typeof countingEmbedder>
      t.ok(texts.includes('alpha = 1\n') && texts.includes('beta = 2\n'), `both embedded in round ${i}`)
      t.equal(result.chunksRemoved, i === 2 ? 1 : 0)
      const manifest = await store.readManifest('shop')
      t.match(manifest, { chunker: options.chunker?.name ?? 'lines-500-50-whole', embedding: { model: 'hash-x' } })
      t.same(await paths(store), ['other/b.py', 'repo/a.py', ...(i === 3 ? ['repo/c.py'] : [])])
    }
  },
)

test('an index of another format is built again, with the other repositories from their stored text', async t => {
  const { store, repository, root } = prepare(t, { 'a.py': 'alpha = 1\n' })
  const other = createGitRepository(join(root, '../other.git'), { files: { 'b.py': 'beta = 2\n' } })
  await index(store, repository)
  await index(store, other, { name: 'other' })
  const file = join(root, 'shop/000002/manifest.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"formatVersion": \d+/, '"formatVersion": 7'))
  await t.rejects(store.openReader('shop'), { code: 'INDEX_INCOMPATIBLE' })
  await index(store, repository)
  t.same(await paths(store), ['other/b.py', 'repo/a.py'])
  t.match(await store.readManifest('shop'), { formatVersion: 3, generation: 3 })
})

test(
  'a damaged index of one repository is built again; of several it is refused, as code would silently be ' + 'lost',
  async t => {
    const { store, repository, root } = prepare(t, { 'a.py': 'alpha = 1\n' })
    await index(store, repository)
    const damage = () => {
      const generation = readdirSync(join(root, 'shop')).find(name => /^\d{6}$/.test(name)) ?? ''
      writeFileSync(join(root, 'shop', generation, 'catalogue.sqlite'), 'damaged')
    }
    damage()
    t.match(await index(store, repository), { filesIndexed: 1, generation: 2 })
    await index(store, createGitRepository(join(root, '../other.git'), { files: { 'b.py': 'b\n' } }), { name: 'other' })
    damage()
    await t.rejects(index(store, repository), {
      code: 'INDEX_INCOMPATIBLE',
      message: /other/,
      fix: /DELETE \/projects\/shop/,
    })
  },
)

test('a repository without a file to index is an error with the counts, and the old index stays', async t => {
  const { store, repository } = prepare(t)
  await index(store, repository)
  await t.rejects(index(store, repository, { include: ['none/**'] }), {
    code: 'NOTHING_TO_INDEX',
    message: /excluded 5/,
  })
  const empty = repository.commit({ 'x.py': '', 'y.png': 'png' }, { branch: 'empty', orphan: true })
  await t.rejects(index(store, repository, { commit: empty }), { code: 'NOTHING_TO_INDEX', message: /binary 1/ })
  t.equal((await store.readManifest('shop'))?.generation, 1)
  t.equal((await paths(store)).length, 3)
})

test('other settings or another branch name are a new index of the same commit', async t => {
  const { store, repository } = prepare(t)
  await index(store, repository)
  t.match(await index(store, repository, { exclude: ['**/*.md'] }), {
    filesIndexed: 2,
    filesSkipped: { excluded: 1 },
    chunksRemoved: 1,
    generation: 2,
  })
  await index(store, repository, { exclude: ['**/*.md'], branch: 'release' })
  t.match(await store.readManifest('shop'), {
    generation: 3,
    repositories: [{ branch: 'release', exclude: ['**/*.md'] }],
  })
})

test('progress names files done and total, in order and to the end', async t => {
  const { store, repository } = prepare(
    t,
    Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}.py`, `x = ${i}\n`])),
  )
  const seen: IndexProgress[] = []
  await index(store, repository, { onProgress: progress => seen.push(progress) })
  const files = seen.filter(({ phase }) => phase === 'files')
  t.match(files[0], { done: 0, total: 150 })
  t.match(files.at(-1), { done: 150, total: 150 })
  t.match(seen.at(-1), { phase: 'storing', done: 150, total: 150 })
})

test('an abort stops the work and leaves the old index and no folder', async t => {
  const { store, repository, root } = prepare(t)
  await index(store, repository)
  repository.commit({ 'src/new.py': 'new = 1\n' })
  const controller = new AbortController()
  await t.rejects(index(store, repository, { signal: controller.signal, onProgress: () => controller.abort() }), {
    name: 'AbortError',
  })
  t.same(readdirSync(join(root, 'shop')).sort(), ['000001', 'CURRENT', 'project.json'])
})

test('a full disk is refused before anything is written', async t => {
  const { repository, root } = prepare(t)
  await t.rejects(index(openStore(root, { minFreeBytes: 2 ** 60 }), repository), { code: 'DISK_FULL' })
})

test('paths that git prints strangely are indexed as they are, or counted', async t => {
  const { store, repository } = prepare(t, {
    'ünï/ключ.py': 'a = 1\n',
    'a b"c.py': 'b = 1\n',
    '-rf.py': 'c = 1\n',
    'x\ny.py': 'd = 1\n',
  })
  t.match(await index(store, repository), { filesIndexed: 3, filesSkipped: { unsafe_path: 1 } })
  t.same((await paths(store)).sort(), ['repo/-rf.py', 'repo/a b"c.py', 'repo/ünï/ключ.py'].sort())
})

test(
  'a project that is large enough learns its own space, folds what comes into it, and learns anew when ' +
    'that was much',
  async t => {
    const { store, repository } = prepare(t, { ...manyFiles(80), ...manyFiles(80, 'mail') })
    const embedder = countingEmbedder()
    t.match((await index(store, repository, { embedder, learned: LSA })).embedding, {
      provider: 'local',
      model: 'lsa-128',
    })
    const fitId = (await store.readManifest('shop'))?.embedding.fitId
    t.same(embedder.texts, [], 'nothing was hashed')
    {
      await using reader = await store.openReader('shop')
      if (reader.fit === null) throw new Error('There is no fit.')
      const [query] = (await LSA.createEmbedder(LSA.openFit(reader.fit)).embed(['mail rate'])).vectors
      t.match(reader.searchVectors(query ?? new Float32Array(), 3), [
        { path: /mail/ },
        { path: /mail/ },
        { path: /mail/ },
      ])
    }

    repository.commit({ 'src/new.py': 'def mail_part_3(price): return mail_rate_1\n', 'src/cart_0.py': null })
    await index(store, repository, { embedder, learned: LSA })
    t.match(await store.readManifest('shop'), { embedding: { fitId }, chunksTotal: 160, indexState: 'ready' })
    {
      await using reader = await store.openReader('shop')
      const { vectors } = await LSA.createEmbedder(LSA.openFit(reader.fit ?? new Uint8Array())).embed(['mail'])
      t.equal(reader.searchVectors(vectors[0] ?? new Float32Array(), 200).length, 160)
    }

    repository.commit(manyFiles(100, 'tariff'))
    await index(store, repository, { embedder, learned: LSA })
    t.not((await store.readManifest('shop'))?.embedding.fitId, fitId)
    t.same(embedder.texts, [])

    repository.commit({ 'only.py': 'x = 1\n' }, { branch: 'small', orphan: true })
    await index(store, repository, { embedder, learned: LSA, commit: repository.git('rev-parse', 'small') })
    t.match(await store.readManifest('shop'), { embedding: { model: 'hash-512' }, chunksTotal: 1 })
    t.same(embedder.texts, ['x = 1\n'], 'too small to learn from')
  },
)

test('a force-push and a switch of branches leave nothing of the previous files in any index', async t => {
  const { store, repository } = prepare(t, manyFiles(70))
  await index(store, repository, { learned: LSA })
  const other = repository.commit(
    { ...manyFiles(10), 'lib/fresh.py': 'import src.cart_1\ndef fresh_start(): pass\n' },
    { branch: 'other', orphan: true },
  )
  await index(store, repository, { learned: LSA, commit: other, branch: 'other' })
  await using reader = await store.openReader('shop')
  t.equal(reader.files().length, 11)
  t.equal(reader.documentFrequency('cart'), 11)
  t.equal(reader.searchTerms(new Map([['price', 1]]), 200).length, 10)
  t.same(
    reader.definitionsOf('fresh_start').map(({ path, startLine }) => [path, startLine]),
    [['lib/fresh.py', 2]],
  )
  t.same(
    reader.definitionsOf('cart_part_5').map(({ path }) => path),
    ['src/cart_5.py'],
  )
  t.same(
    reader.importersOf('repo', 'src/cart_1.py').map(({ path }) => path),
    ['lib/fresh.py'],
  )
  t.same(
    reader.importsOf('repo', 'lib/fresh.py').map(({ path }) => path),
    ['src/cart_1.py'],
  )
  t.same(
    reader.searchFileTerms(new Map([['fresh', 1]]), 5).map(({ path }) => path),
    ['lib/fresh.py'],
  )
})

test(
  'vectors can be searched while their graph is built, and an index that ended there gets it with the next run',
  NEEDS_HNSW,
  async t => {
    const { repository, root } = prepare(t, manyFiles(80))
    const store = openStore(root, { minFreeBytes: 0, exactBelow: 10 })
    const controller = new AbortController()
    const onProgress = ({ phase }: IndexProgress): void => {
      if (phase === 'storing') controller.abort(new Error('stop here'))
    }
    const run = { publishEarlyMs: 0, embedder: countingEmbedder() }
    const stopped = index(store, repository, { ...run, signal: controller.signal, onProgress })
    await t.rejects(stopped, { message: 'stop here' })
    const search = async (): Promise<unknown> => {
      await using reader = await store.openReader('shop')
      const [query] = (await createLocalEmbedder().embed(['cart_part_3 price tax cart_rate_0'])).vectors
      return [
        reader.manifest.indexState,
        reader.vectorSearch,
        reader.searchVectors(query ?? new Float32Array(), 5).length,
      ]
    }
    t.same(await search(), ['ready', 'exact', 5])
    const embedder = countingEmbedder()
    t.match(await index(store, repository, { ...run, embedder }), { chunksAdded: 0, filesIndexed: 80 })
    t.same(embedder.texts, [], 'what was embedded stays')
    t.same(await search(), ['ready', 'hnsw', 5])
    t.match(await index(store, repository, run), { timingsMs: { store: 0 } }, 'then there is nothing left to do')
  },
)

test('what waits for a slow embedder can be found by words meanwhile, and also when it fails', async t => {
  const { store, repository } = prepare(t, manyFiles(80))
  const states: Array<string | undefined> = []
  const embedder: Embedder = {
    provider: 'api',
    model: 'slow-model',
    async embed(texts) {
      states.push((await store.readManifest('shop'))?.indexState)
      if (states.length === 1) throw new FaultlineError('EMBEDDING_UNAVAILABLE', 'down')
      return { vectors: texts.map(() => Float32Array.of(1, 0)), fitId: 'slow-1' }
    },
  }
  await t.rejects(index(store, repository, { embedder }), { code: 'EMBEDDING_UNAVAILABLE' })
  {
    await using reader = await store.openReader('shop')
    t.equal(searchWords(reader, 'cart_part_3', 1).length, 1)
    t.match(reader.manifest, {
      indexState: 'lexical_ready',
      embedding: { provider: 'api', model: 'slow-model', dimensions: 0 },
    })
  }
  t.match(await index(store, repository, { embedder }), { chunksAdded: 0, embedding: { dimensions: 2 } })
  t.same(states, ['lexical_ready', 'lexical_ready'])
  t.match(await store.readManifest('shop'), { indexState: 'ready', embedding: { fitId: 'slow-1' } })
})
