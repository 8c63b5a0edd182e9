import { test, type Test } from 'tap'
import type { SearchAnswer } from '../../src/core/resolution.ts'
import { SharedThread } from '../../src/threads/shared-thread.ts'
import type { ThreadOptions } from '../../src/threads/pool.ts'
import { embeddedShop } from '../helpers/indexed-shop.ts'

const FILES = {
  'lib/cart.js': 'function totalOf (cart) {\n  return cart.total\n}\n',
  'lib/voucher.js': 'exports.discount = 1\n',
}
/** Reading it takes some tenths of a second. */
const LONG = 'Error: x\n' + '    at f (/srv/lib/cart.js:1:2)\n'.repeat(60_000)

/** A project whose queries wait for a model server that answers when it is told to. */
async function project(t: Test, tasks: number) {
  const { model, repository, workerData, index } = await embeddedShop(t, FILES)
  await index(repository.git('rev-parse', 'main'))
  const thread = new SharedThread({ tasks, workerData })
  t.teardown(() => thread.close())
  const search = async (query: string, options?: ThreadOptions) =>
    (await thread.run<SearchAnswer>('search', { projectName: 'shop', query, limit: 2 }, options)).hits.map(
      ({ path }) => path,
    )
  let asked = 0
  return {
    model,
    thread,
    search,
    /** Begins a search and resolves once it waits for the model; `goOn` lets it end. */
    async hold(query: string, options?: ThreadOptions) {
      const { promise, resolve } = Promise.withResolvers<void>()
      model.pushEmbeddings({ heldUntil: promise })
      const answer = search(query, options)
      answer.catch(() => {}) // the test looks at it later
      return { request: await model.waitForRequest(++asked), goOn: resolve, answer }
    },
    locateLong: (options: ThreadOptions) =>
      thread.run('locate', { request: { projectName: 'shop', stackTrace: LONG, maxContextTokens: 1000 } }, options),
  }
}

test('while one waits for the embedding service, others are answered in the same thread', async t => {
  const { hold, search } = await project(t, 3)
  const [one, two] = [await hold('totalOf cart'), await hold('discount voucher')]
  t.equal((await search('totalOf'))[0], 'lib/cart.js')
  two.goOn()
  t.equal((await two.answer)[0], 'lib/voucher.js')
  one.goOn()
  t.equal((await one.answer)[0], 'lib/cart.js')
})

test('tasks that come while the thread starts are in it together', async t => {
  const { model, search } = await project(t, 3)
  const { promise, resolve } = Promise.withResolvers<void>()
  model.pushEmbeddings(...[1, 2, 3].map(() => ({ heldUntil: promise })))
  const answers = ['totalOf', 'discount', 'cart'].map(query => search(query))
  await model.waitForRequest(3)
  resolve()
  t.same(
    (await Promise.all(answers)).map(([first]) => first),
    ['lib/cart.js', 'lib/voucher.js', 'lib/cart.js'],
  )
})

test('who hangs up is told at once, and the thread goes on with what it has open', async t => {
  const { hold, search } = await project(t, 2)
  const controller = new AbortController()
  const { answer, request, goOn } = await hold('totalOf', { signal: controller.signal })
  controller.abort(new Error('gone'))
  await t.rejects(answer, { message: 'gone' })
  t.equal((await search('discount'))[0], 'lib/voucher.js')
  goOn()
  t.notOk(await request.hungUp, 'what was asked for came to its end')
})

test('who finds no place in time is told so, and who leaves meanwhile is not worked for', async t => {
  const { hold, search, model } = await project(t, 1)
  const { answer, goOn } = await hold('totalOf')
  await t.rejects(search('discount', { queueMs: 1 }), { code: 'OVERLOADED' })
  const controller = new AbortController()
  const left = search('discount', { signal: controller.signal })
  controller.abort(new Error('gone'))
  await t.rejects(left, { message: 'gone' })
  goOn()
  await answer
  t.equal((await search('discount'))[0], 'lib/voucher.js')
  t.equal(model.requests.length, 2)
})

test('a task that works too long ends the thread, and the others in it begin anew', async t => {
  const { hold, locateLong, model } = await project(t, 2)
  const { answer, request } = await hold('totalOf')
  await t.rejects(locateLong({ timeoutMs: 1 }), { code: 'RESOLVE_TIMED_OUT' })
  t.ok(await request.hungUp, 'the thread is gone')
  t.equal((await answer)[0], 'lib/cart.js')
  t.equal(model.requests.length, 2)
})

test('the limit of its work holds for a task whose caller has hung up', async t => {
  const { hold, search, locateLong } = await project(t, 2)
  const { request } = await hold('totalOf')
  const controller = new AbortController()
  const left = locateLong({ timeoutMs: 1, signal: controller.signal })
  controller.abort(new Error('gone'))
  await t.rejects(left, { message: 'gone' })
  t.ok(await request.hungUp, 'the thread is gone')
  t.equal((await search('discount'))[0], 'lib/voucher.js')
})

test('a thread that is closed refuses', async t => {
  const { hold, search, thread } = await project(t, 1)
  const { answer } = await hold('totalOf')
  const waiting = search('discount')
  await Promise.all([
    t.rejects(answer, { code: 'SHUTTING_DOWN' }),
    t.rejects(waiting, { code: 'SHUTTING_DOWN' }),
    thread.close(),
  ])
  await t.rejects(search('discount'), { code: 'SHUTTING_DOWN' })
})
