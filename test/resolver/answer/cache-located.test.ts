import { randomBytes } from 'node:crypto'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'
import { test } from 'tap'
import { readCode, writeCode } from '../../../src/contract/resolution-json.ts'
import { CacheBudget } from '../../../src/core/cache-budget.ts'
import { collectGarbage } from '../../../src/core/collect-garbage.ts'
import type { LocatedCode } from '../../../src/core/resolution.ts'
import type { LocateRequest } from '../../../src/resolver/locate.ts'
import { cacheLocated } from '../../../src/resolver/answer/cache-located.ts'
import { LOCATED_CODE } from '../located-code.ts'

const REQUEST: LocateRequest = { projectName: 'shop', stackTrace: 'Error: no', maxContextTokens: 1000 }

function counting({ maxBytes = 1e6, located = LOCATED_CODE }: { maxBytes?: number; located?: LocatedCode } = {}) {
  const budget = new CacheBudget(maxBytes)
  const state = { asked: 0, publication: '1' as string | null, now: 0, publishWhileLocating: false, degraded: false }
  const locate = cacheLocated(
    async () => {
      state.asked++
      if (state.publishWhileLocating) state.publication = '2'
      return writeCode({ ...located, degraded: state.degraded })
    },
    {
      publicationOf: async () => state.publication,
      now: () => state.now,
      maxAgeMs: 1000,
      budget,
    },
  )
  return { state, locate, budget }
}

test('the same question to the same generation is answered from memory, in no time', async t => {
  const { state, locate } = counting()
  const first = await locate(REQUEST)
  t.same(readCode(first), LOCATED_CODE)
  const again = await locate({ ...REQUEST })
  t.same(readCode(again), { ...LOCATED_CODE, timingsMs: { parse: 0, map: 0, retrieve: 0, context: 0 } })
  t.equal(again.marked, LOCATED_CODE.marked, 'the object: what is known of it is known by it')
  t.same(Buffer.from(again.json), Buffer.from(first.json))
  t.equal((await locate(REQUEST)).json, again.json, 'unpacked once')
  t.equal(state.asked, 1)
})

test('another text, another option, a new generation, a ref or some time ask anew', async t => {
  const { state, locate } = counting()
  await locate(REQUEST)
  const changes: Array<Partial<LocateRequest>> = [
    { stackTrace: 'Error: yes' },
    { maxContextTokens: 2000 },
    { exception: 0 },
    { inAppExclude: ['lib/**'] },
    { pathMappings: [{ from: '/a', to: 'b' }] },
    { indexState: 'degraded' },
    { ref: 'main' },
    { ref: 'main' },
  ]
  for (const change of changes) await locate({ ...REQUEST, ...change })
  t.equal(state.asked, 1 + changes.length)
  state.publication = '2'
  await locate(REQUEST)
  t.equal(state.asked, 2 + changes.length)
  state.now = 1000
  await locate(REQUEST)
  t.equal(state.asked, 3 + changes.length)
})

test('what was located while a generation was published, or without one, is not remembered', async t => {
  const { state, locate } = counting()
  state.publishWhileLocating = true
  await locate(REQUEST)
  state.publication = '1'
  await locate(REQUEST)
  t.equal(state.asked, 2)
  const none = counting()
  none.state.publication = null
  await none.locate(REQUEST)
  await none.locate(REQUEST)
  t.equal(none.state.asked, 2)
})

test('what was found without vectors is not remembered: the service may answer the next time', async t => {
  const { state, locate } = counting()
  state.degraded = true
  await locate(REQUEST)
  state.degraded = false
  t.same(readCode(await locate(REQUEST)), LOCATED_CODE)
  t.equal(state.asked, 2)
})

/** Of an entry, about. */
const bytes = (located: LocatedCode) => {
  const { json, marked, unwritten } = writeCode(located)
  return zstdCompressSync(json).length + 2 * JSON.stringify([marked, unwritten]).length
}

test('memory is bounded', async t => {
  const { state, locate } = counting({ maxBytes: 2.5 * bytes(LOCATED_CODE) })
  for (const stackTrace of ['a', 'b', 'c', 'a', 'c']) await locate({ ...REQUEST, stackTrace })
  t.equal(state.asked, 4, 'a went when c came')
})

test('everything that is remembered counts', async t => {
  const long = randomBytes(5_000).toString('hex')
  const exception = {
    index: 0,
    type: null,
    message: long,
    language: null,
    relation: 'root' as const,
    count: 1,
    chain: 0,
    fingerprint: null,
  }
  const larger: LocatedCode[] = [
    { ...LOCATED_CODE, exceptions: [exception] },
    {
      ...LOCATED_CODE,
      marked: {
        lines: [{ repository: 'shop', path: long, line: 1, commit: '', weight: 1, failing: true }],
        tracedAt: null,
      },
    },
    { ...LOCATED_CODE, notice: long },
  ]
  for (const located of larger) {
    const { state, locate } = counting({ maxBytes: 2.5 * bytes(LOCATED_CODE), located })
    await locate(REQUEST)
    await locate(REQUEST)
    t.equal(state.asked, 2)
  }
})

test('hundreds of long answers are remembered in a few megabytes', async t => {
  const context = Array.from({ length: 1_500 }, (_, i) => `${i} | const value${i % 40} = compute(${i % 7})`).join('\n')
  const { state, locate } = counting({ maxBytes: 4e6, located: { ...LOCATED_CODE, context } })
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 300; i++) await locate({ ...REQUEST, stackTrace: `Error: ${i}` })
  }
  t.equal(state.asked, 300)
})

test('what is remembered takes the memory that it counts as', async t => {
  const { locate, budget } = counting({ maxBytes: 64 * 1_048_576 })
  for (let round = 0; round < 2; round++) {
    await locate(REQUEST) // what is loaded once
    collectGarbage() // of the tests before, whose last buffers go with the second round
    await nextTurn()
  }
  const before = { real: process.memoryUsage().arrayBuffers, counted: budget.bytes }
  for (let i = 0; i < 500; i++) await locate({ ...REQUEST, stackTrace: `Error: ${i}` })
  const counted = budget.bytes - before.counted
  let real = Infinity
  // a thread of V8 gives buffers back beside this one, later on a machine that is at work
  for (let turn = 0; turn < 1_000 && real > 2 * counted + 1_048_576; turn++) {
    await nextTurn()
    collectGarbage()
    real = process.memoryUsage().arrayBuffers - before.real
  }
  t.ok(real < 2 * counted + 1_048_576, `${real} bytes for ${counted}`)
})

test('what is too old makes room, however often it was asked for', async t => {
  const { state, locate } = counting({ maxBytes: 2.5 * bytes(LOCATED_CODE) })
  await locate({ ...REQUEST, stackTrace: 'a' })
  state.now = 900
  await locate({ ...REQUEST, stackTrace: 'b' })
  await locate({ ...REQUEST, stackTrace: 'a' })
  state.now = 1000
  await locate({ ...REQUEST, stackTrace: 'c' })
  await locate({ ...REQUEST, stackTrace: 'b' })
  t.equal(state.asked, 3, 'b is still there, as a went')
})

test('what is too old goes when nobody asks any more, too', async t => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.teardown(() => mock.timers.reset())
  const budget = new CacheBudget(1e6)
  const locate = cacheLocated(async () => writeCode(LOCATED_CODE), { publicationOf: async () => '1', budget })
  await locate(REQUEST)
  mock.timers.tick(30_000)
  await locate({ ...REQUEST, stackTrace: 'other' })
  t.ok(budget.bytes > 0)
  mock.timers.tick(60_000)
  mock.timers.tick(60_000)
  t.equal(budget.bytes, 0)
})

test('nothing is kept unpacked of an answer that had to go', async t => {
  const { locate, budget } = counting()
  await locate(REQUEST)
  const unpacked = new WeakRef((await locate(REQUEST)).json)
  budget.resize(0)
  await new Promise(resolve => setImmediate(resolve))
  collectGarbage()
  t.equal(unpacked.deref(), undefined)
})
