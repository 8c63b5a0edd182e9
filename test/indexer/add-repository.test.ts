import { test } from 'tap'
import type { IndexProgress } from '../../src/indexer/throttle.ts'
import { FILES, countingEmbedder, index, paths, prepare } from './index-fixture.ts'

test('only changed content is embedded again; what is gone is gone', async t => {
  const { store, repository } = prepare(t)
  await index(store, repository)
  repository.commit({ 'src/user.py': 'def load_user(): raise\n', 'README.md': null, 'src/new.py': 'new = 1\n' })
  const embedder = countingEmbedder()
  const result = await index(store, repository, { embedder })
  t.match(result, {
    filesIndexed: 3,
    chunksAdded: 2,
    chunksRemoved: 2,
    chunksTotal: 3,
    generation: 2,
    languages: { python: 3 },
  })
  t.notOk('markdown' in result.languages)
  t.same(embedder.texts.sort(), ['def load_user(): raise\n', 'new = 1\n'])
  t.same(await paths(store), ['repo/src/cart.py', 'repo/src/new.py', 'repo/src/user.py'])
})

test('renamed and copied files are not embedded again, even when their old path has new content', async t => {
  const { store, repository } = prepare(t)
  await index(store, repository)
  repository.commit({
    'src/moved.py': FILES['src/user.py'],
    'src/user.py': FILES['src/cart.py'],
    'src/copy.py': FILES['src/cart.py'],
  })
  const embedder = countingEmbedder()
  const result = await index(store, repository, { embedder })
  t.same(embedder.texts, [])
  t.match(result, { filesIndexed: 5, chunksTotal: 5, chunksAdded: 3, chunksRemoved: 1 })
  await using reader = await store.openReader('shop')
  t.equal(reader.fileText('repo', 'src/moved.py'), FILES['src/user.py'])
  t.equal(reader.fileText('repo', 'src/user.py'), FILES['src/cart.py'])
})

test('one content under several paths is embedded once and found under each', async t => {
  const { store, repository } = prepare(t, {
    'a.py': 'same = 1\n',
    'b/a.py': 'same = 1\n',
    'c.js': 'same = 1\n',
    'bad.py': 'x\u0000',
    'bad2.py': 'x\u0000',
  })
  const embedder = countingEmbedder()
  const result = await index(store, repository, { embedder })
  t.match(result, {
    filesIndexed: 3,
    chunksTotal: 3,
    filesSkipped: { binary: 2 },
    languages: { python: 2, javascript: 1 },
  })
  t.same(await paths(store), ['repo/a.py', 'repo/b/a.py', 'repo/c.js'])
})

test('a repository has room for so many chunks; files beyond are counted, whether new, copied or known', async t => {
  const file = (name: string) => Array.from({ length: 600 }, (_, i) => `${name}_${i} = ${i}\n`).join('')
  const { store, repository } = prepare(t, {
    'a.py': file('a'),
    'b.py': file('b'),
    'copy-of-a.py': file('a'),
    'd.py': file('d'),
    'e.py': 'small = 1\n',
  })
  const maxChunks = 5
  const seen: IndexProgress[] = []
  t.match(await index(store, repository, { maxChunks, onProgress: progress => seen.push(progress) }), {
    filesIndexed: 3,
    filesSkipped: { too_many: 2 },
    chunksTotal: 5,
  })
  t.same(await paths(store), ['repo/a.py', 'repo/b.py', 'repo/e.py'])
  t.match(seen.filter(({ phase }) => phase === 'files').at(-1), { done: 5, total: 5 })
  repository.commit({ 'e.py': null, 'again.py': file('a') })
  t.match(await index(store, repository, { maxChunks }), {
    filesIndexed: 2,
    filesSkipped: { too_many: 3 },
    chunksTotal: 4,
  })
  repository.commit({ 'b.py': null })
  t.match(await index(store, repository, { maxChunks }), {
    filesIndexed: 2,
    filesSkipped: { too_many: 2 },
    chunksTotal: 4,
  })
})
