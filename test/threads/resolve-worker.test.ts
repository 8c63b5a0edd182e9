import { join } from 'node:path'
import { test, type Test } from 'tap'
import { readCode } from '../../src/contract/resolution-json.ts'
import type { SearchAnswer, WrittenCode } from '../../src/core/resolution.ts'
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import { createSuspectSearch } from '../../src/repos/history/suspects.ts'
import type { LocateRequest } from '../../src/resolver/locate.ts'
import { findSuspects } from '../../src/resolver/answer/suspects.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { WORKER_THREADS } from '../../src/threads/entry.ts'
import { ThreadPool } from '../../src/threads/pool.ts'
import { openStore } from '../../src/vecstore/store.ts'
import type { TestFiles } from '../helpers/git-repository.ts'
import { INLINE_THREADS } from '../helpers/inline-threads.ts'
import { createShopClone, indexShop } from '../helpers/indexed-shop.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { readTrace } from '../helpers/trace-fixtures.ts'

const CART = [
  'function total (cart) {',
  '  return cart.lines.reduce((sum, line) => sum + line.price, 0)',
  '}',
  '',
  'async function checkout (cart) {',
  '  await Promise.resolve()',
  '  return total(cart)',
  '}',
  '',
  'module.exports = { total, checkout }',
  '',
].join('\n')
const MAIN =
  "const { total } = require('./lib/cart.js')\n\nfunction main () {\n" +
  '  console.log(total({ lines: null }))\n}\n\nmain()\n'
const BIG = Array.from({ length: 1200 }, (_, index) => `export const price${index + 1} = ${index + 1}\n`).join('')
const FILES = {
  'app/lib/cart.js': CART,
  'app/plain.js': MAIN,
  'app/prices.js': BIG,
  'docs/discount.md': '# Discount\n\nHow the discount of a voucher is computed.\n',
}

interface ProjectOptions {
  /** Settings of an embedding service; null for the local one. */
  embedding?: object | null
  realThreads?: number
}

/** A project over a real repository and a real index, in the thread of the test unless real ones are wanted. */
async function project(t: Test, files: TestFiles = FILES, { embedding = null, realThreads = 0 }: ProjectOptions = {}) {
  const dir = testFolder(t)
  const repository = createShopClone(join(dir, 'clones'), files)
  const store = openStore(join(dir, 'store'), { minFreeBytes: 0 })
  const index = async () => {
    const commit = repository.git('rev-parse', 'refs/heads/main')
    await indexShop({ store, repository, commit, embedder: createLocalEmbedder(), chunker: createLineChunker() })
    return commit
  }
  await store.createProject('shop')
  const threads = new ThreadPool('resolve-worker', {
    threads: Math.max(1, realThreads),
    starter: realThreads > 0 ? WORKER_THREADS : INLINE_THREADS,
    workerData: {
      vectorStoreDir: join(dir, 'store'),
      clonedReposDir: join(dir, 'clones'),
      embedding,
      chunker: 'scopes',
    },
  })
  t.teardown(() => threads.close())
  return {
    repository,
    store,
    index,
    clones: join(dir, 'clones'),
    locate: async (request: Partial<LocateRequest> & { stackTrace: string }) =>
      readCode(
        await threads.run<WrittenCode>('locate', {
          request: { projectName: 'shop', maxContextTokens: 16_000, ...request },
        }),
      ),
    rehearse: async () => await threads.run<boolean>('rehearse', { projectName: 'shop' }),
    search: async (query: string, limit = 10) =>
      (await threads.run<SearchAnswer>('search', { projectName: 'shop', query, limit })).hits,
  }
}

test('a real crash is located in a real index', async t => {
  const shop = await project(t, FILES, { realThreads: 1 })
  const commit = await shop.index()
  const located = await shop.locate({ stackTrace: readTrace('node-24-plain') })
  t.equal(located.commit, commit)
  t.match(
    located.frames.filter(frame => frame.inProject).map(({ path, codeLine, match }) => ({ path, codeLine, match })),
    [
      { path: 'app/plain.js', codeLine: 7, match: 'suffix' },
      { path: 'app/plain.js', codeLine: 4 },
      { path: 'app/lib/cart.js', codeLine: 2 },
    ],
  )
  t.same(
    located.sources.slice(0, 2).map(({ path, highlightedLines }) => [path, highlightedLines]),
    [
      ['app/lib/cart.js', [2]],
      ['app/plain.js', [4, 7]],
    ],
  )
  t.equal(located.sources[0]?.score, 1)
  t.match(
    located.context,
    /^=== File: app\/lib\/cart\.js \[chunk 1\/1, lines 1-10\] \(stack trace lines: 2\) ===\n {6}1 \| function total/,
  )
  t.match(located.context, /\n>>> {3}2 \| {3}return cart\.lines\.reduce/)
  t.equal(located.contextTokens, countTokens(located.context))
})

test('a process practises with an index until that helps no more, and once with each later one', async t => {
  const shop = await project(t, FILES, { realThreads: 1 })
  await t.rejects(shop.rehearse(), { code: 'INDEX_NOT_READY' })
  await shop.index()
  let rounds = 1
  while (await shop.rehearse()) rounds++
  t.equal(rounds, 40)
  t.equal(await shop.rehearse(), false)
  shop.repository.commit({ 'app/more.js': 'function more () {\n  return 1\n}\n' })
  await shop.index()
  t.equal(await shop.rehearse(), false)
  t.match((await shop.locate({ stackTrace: readTrace('node-24-plain') })).sources[0], { path: 'app/lib/cart.js' })
})

test('the commits that changed the marked lines are named, that of the failing line first', async t => {
  const shop = await project(t, { ...FILES, 'app/lib/cart.js': CART.replace('line.price, 0', 'line.price') })
  const broken = shop.repository.commit({ 'app/lib/cart.js': CART }, { message: 'Begin at zero' })
  shop.repository.commit({ 'docs/more.md': '# More\n' }, { message: 'Write more' })
  await shop.index()
  const search = createSuspectSearch({ clonedReposDir: shop.clones, timeoutMs: 60_000 })
  const { suspectsStatus, suspectCommits } = await findSuspects(
    (await shop.locate({ stackTrace: readTrace('node-24-plain') })).marked,
    search,
  )
  t.equal(suspectsStatus, 'ok')
  t.match(suspectCommits, [
    {
      commit: broken,
      author: 'Ada Tester',
      summary: 'Begin at zero',
      path: 'app/lib/cart.js',
      lines: [2],
      why: /^last changed the failing line app\/lib\/cart\.js:2/,
    },
    { summary: 'First commit' },
  ])
  t.equal(suspectCommits.length, 2)
  const { commit, marked } = await shop.locate({ stackTrace: readTrace('node-24-plain'), ref: broken })
  t.equal(commit, broken)
  t.ok(marked.lines.every(line => line.commit === broken))
})

test('for a file that is not there, what its name and the message lead to is shown', async t => {
  const shop = await project(t)
  await shop.index()
  const { sources } = await shop.locate({
    stackTrace: 'Error: bad voucher discount\n    at computed (/srv/discount.js:3:1)',
  })
  t.match(sources[0], { path: 'docs/discount.md', reason: /^(?:similar|lexical|related)$/, highlightedLines: [] })
})

test('of a long file what is near to the line of the trace is shown, less when the budget is small', async t => {
  const shop = await project(t)
  await shop.index()
  const stackTrace = 'RangeError: x\n    at f (/srv/app/prices.js:700:1)'
  const large = await shop.locate({ stackTrace })
  t.match(large.sources[0], { path: 'app/prices.js', highlightedLines: [700] })
  const small = await shop.locate({ stackTrace, maxContextTokens: 300 })
  t.ok(small.contextTokens <= 300)
  t.match(small.context, /\n>>> {2}700 \| export const price700 = 700\n/)
  t.ok(small.sources.length < large.sources.length || small.contextTokens < large.contextTokens)
})

test('a tag is read through the object database, without a new index', async t => {
  const shop = await project(t)
  shop.repository.git('tag', 'v1')
  const old = shop.repository.git('rev-parse', 'v1')
  shop.repository.commit({ 'app/lib/cart.js': `// licence\n// more\n${CART}` })
  await shop.index()
  const stackTrace = readTrace('node-24-plain')
  const [now, then] = [await shop.locate({ stackTrace }), await shop.locate({ stackTrace, ref: 'v1' })]
  t.same(
    [now, then].map(({ frames }) => frames.at(-1)?.codeLine),
    [4, 2],
  )
  t.equal(then.commit, old)
  t.match(then.context, /\n>>> {3}2 \| {3}return cart\.lines\.reduce/)
  t.match(
    then.sources[0],
    { path: 'app/lib/cart.js', symbol: 'total' },
    'definitions are those of the text that is read',
  )
  await t.rejects(shop.locate({ stackTrace, ref: 'v2' }), { code: 'REF_NOT_FOUND' })
})

test('a file that the indexed commit lacks is found at the tag that has it', async t => {
  const shop = await project(t)
  shop.repository.git('tag', 'v1')
  shop.repository.commit({ 'app/lib/cart.js': null })
  await shop.index()
  const stackTrace = readTrace('node-24-plain')
  t.match((await shop.locate({ stackTrace })).frames.at(-1), { path: null, inProject: false })
  const then = await shop.locate({ stackTrace, ref: 'v1', inAppExclude: ['app/plain.js'] })
  t.match(then.frames.at(-1), { path: 'app/lib/cart.js', codeLine: 2, inProject: true })
  t.same(
    then.frames.filter(frame => frame.path === 'app/plain.js').map(frame => frame.inProject),
    [false, false],
  )
})

test('what is published meanwhile is seen at once', async t => {
  const shop = await project(t, FILES, { realThreads: 1 })
  await t.rejects(shop.locate({ stackTrace: 'x1 y2' }), { code: 'INDEX_NOT_READY' })
  await shop.index()
  t.match(await shop.search('voucher'), [{ path: 'docs/discount.md' }])
  shop.repository.commit({ 'docs/discount.md': null, 'docs/voucher.md': 'The voucher.\n' })
  await shop.index()
  t.match(await shop.search('voucher'), [{ path: 'docs/voucher.md' }])
})

test('a project that was deleted and made anew is read anew', async t => {
  const shop = await project(t, FILES, { realThreads: 1 })
  await shop.index()
  t.match(await shop.search('voucher'), [{ path: 'docs/discount.md' }])
  await shop.store.deleteProject('shop')
  await t.rejects(shop.search('voucher'), { code: 'PROJECT_NOT_FOUND' })
  shop.repository.commit({ 'docs/discount.md': null, 'docs/voucher.md': 'The voucher.\n' })
  await shop.index()
  t.match(await shop.search('voucher'), [{ path: 'docs/voucher.md' }])
  await shop.store.deleteProject('shop')
  shop.repository.commit({ 'docs/voucher.md': null, 'docs/coupon.md': 'The voucher.\n' })
  await shop.index()
  t.match(await shop.search('voucher'), [{ path: 'docs/coupon.md' }], 'though nobody asked in between')
})

test('a search answers with snippets around the best line, best first', async t => {
  const shop = await project(t)
  await shop.index()
  const hits = await shop.search('price700')
  t.match(hits[0], {
    repository: 'shop',
    path: 'app/prices.js',
    startLine: 451,
    endLine: 950,
    score: Number,
    snippet: /price700 = 700/,
  })
  t.ok(hits.every(({ snippet }) => snippet.split('\n').length <= 12))
  t.ok(hits.every(({ score }, index) => score <= (hits[index - 1]?.score ?? 1)))
  t.equal((await shop.search('price', 2)).length, 2)
})

test('an index of another embedder is refused', async t => {
  const embedding = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, model: 'hash-512' }
  const shop = await project(t, FILES, { embedding })
  await shop.index()
  await t.rejects(shop.search('voucher'), { code: 'INDEX_INCOMPATIBLE', fix: /clone/ })
})

test('errors come through with their code', async t => {
  const shop = await project(t, FILES, { realThreads: 1 })
  await shop.index()
  await t.rejects(shop.locate({ stackTrace: '---' }), { code: 'NO_STACK_TRACE' })
  await t.rejects(shop.locate({ stackTrace: readTrace('node-24-plain'), exception: 5 }), {
    code: 'EXCEPTION_NOT_FOUND',
  })
  await t.rejects(shop.locate({ stackTrace: 'a b', projectName: 'nope' }), { code: 'PROJECT_NOT_FOUND' })
})

test(
  'the same question to the same index has the same answer, to the byte, from every thread and at every ' + 'time',
  async t => {
    const shop = await project(t, FILES, { realThreads: 3 })
    await shop.index()
    const traces = ['node-24-plain', 'python-3.11-plain', 'java-17-cause']
      .map(name => readTrace(name))
      .concat('Error: bad voucher discount of price7\n    at computed (/srv/discount.js:3:1)')
    for (const stackTrace of traces) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => shop.locate({ stackTrace })))
      const texts = new Set(answers.map(({ timingsMs: _, ...answer }) => JSON.stringify(answer)))
      t.equal(texts.size, 1)
    }
  },
)
