import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { readCode } from '../src/contract/resolution-json.ts'
import type { LocatedCode, SearchAnswer, WrittenCode } from '../src/core/resolution.ts'
import { ThreadPool } from '../src/threads/pool.ts'
import { embeddedShop } from './helpers/indexed-shop.ts'

const NO_FILE = 'VoucherError: the voucher has no discount\n    at computed (/srv/lost.js:3:1)'
const rulesAt = (round: number) => ({
  'lib/rules.js': `// round ${round}\nfunction discountOf (voucher) {\n  return voucher.discount * ${round}\n}\n`,
  [`lib/only-${round}.js`]: `exports.discount = ${round}\n`,
})

const request = { request: { projectName: 'shop', maxContextTokens: 4_000, stackTrace: NO_FILE } }

/** A project whose queries wait for a model server, so that a task can be held in its middle. */
async function project(t: Test) {
  const { model, repository, store, storeDir, workerData, index } = await embeddedShop(t)
  const threads = new ThreadPool('resolve-worker', { threads: 1, workerData })
  t.teardown(() => threads.close())
  return {
    store,
    folder: join(storeDir, 'shop'),
    /** Commits other rules in the place of the previous ones, and indexes that. */
    async publish(round: number): Promise<string> {
      const commit = repository.commit(rulesAt(round), { orphan: true })
      await index(commit)
      return commit
    },
    /** Begins a task and answers once it waits for the model; `goOn` lets it end. */
    async hold<T>(name: 'locate' | 'search', task: object): Promise<{ goOn: () => void; answer: Promise<T> }> {
      const { promise, resolve } = Promise.withResolvers<void>()
      model.pushEmbeddings({ heldUntil: promise })
      const answer = threads.run<T>(name, task)
      answer.catch(() => {}) // the test looks at it later
      await model.waitForRequest(model.requests.length + 1)
      return { goOn: resolve, answer }
    },
    locate: async (): Promise<LocatedCode> => readCode(await threads.run<WrittenCode>('locate', request)),
  }
}

test(
  'what is being resolved sees one generation from start to end, whatever is published and removed ' + 'meanwhile',
  async t => {
    const shop = await project(t)
    const first = await shop.publish(1)
    const { goOn, answer } = await shop.hold<WrittenCode>('locate', request)
    await shop.publish(2)
    const third = await shop.publish(3)
    await shop.store.sweep()
    t.same(
      readdirSync(shop.folder).filter(name => /^\d+$/.test(name)),
      [String((await shop.store.readManifest('shop'))?.generation).padStart(6, '0')],
      'the older ones are gone',
    )
    goOn()
    const located = readCode(await answer)
    t.equal(located.commit, first)
    t.same(located.sources.map(({ path }) => path).sort(), ['lib/only-1.js', 'lib/rules.js'])
    t.match(located.context, /round 1/)
    t.notMatch(located.context, /round [23]|only-[23]/)
    const next = await shop.locate()
    t.equal(next.commit, third)
    t.match(next.context, /round 3/)
  },
)

test(
  'a search that is under way when its project is deleted and made anew answers from what it began ' + 'with',
  async t => {
    const shop = await project(t)
    await shop.publish(1)
    const { goOn, answer } = await shop.hold<SearchAnswer>('search', {
      projectName: 'shop',
      query: 'discount of a voucher',
      limit: 10,
    })
    await shop.store.deleteProject('shop')
    t.notOk(existsSync(shop.folder))
    await shop.publish(2)
    goOn()
    const { hits } = await answer
    t.same(hits.map(({ path }) => path).sort(), ['lib/only-1.js', 'lib/rules.js'])
    t.ok(hits.every(({ snippet }) => !snippet.includes('round 2')))
    t.match((await shop.locate()).context, /round 2/, 'though its number is the same')
  },
)

test(
  'after its project is deleted a resolve that was under way still ends, and the next one says that there ' + 'is none',
  async t => {
    const shop = await project(t)
    const first = await shop.publish(1)
    const { goOn, answer } = await shop.hold<WrittenCode>('locate', request)
    await shop.store.deleteProject('shop')
    goOn()
    t.match(readCode(await answer), { commit: first, context: /round 1/ })
    await t.rejects(shop.locate(), { code: 'PROJECT_NOT_FOUND' })
  },
)
