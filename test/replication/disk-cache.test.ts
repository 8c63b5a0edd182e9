import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { DiskCache, type Holding } from '../../src/replication/disk-cache.ts'
import { createInUse } from '../../src/replication/in-use.ts'
import { eventually } from '../helpers/processes.ts'

/** Holdings of ten bytes each by name; `used` ones do not go. */
function made(t: Test, maxBytes: number) {
  const here = new Map<string, number>()
  const used = new Set<string>()
  const state = { isAway: false, looks: 0, isBroken: '' }
  const evicted: string[][] = []
  const failed: unknown[] = []
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  const holding = (name: string, usedAt: number): Holding => ({
    name,
    bytes: 10,
    usedAt,
    async evict() {
      if (state.isAway) throw new FaultlineError('OBJECT_STORE_UNAVAILABLE', 'Away.')
      if (state.isBroken === name) throw new Error('broken')
      if (used.has(name)) return false
      return here.delete(name)
    },
  })
  const cache = new DiskCache({
    maxBytes,
    holdings: async () => {
      state.looks++
      return [...here].map(([name, usedAt]) => holding(name, usedAt))
    },
    onEvicted: ({ names }) => evicted.push(names),
    onFailed: error => failed.push(error),
    signal: closing.signal,
    lookMs: 60_000,
    calmMs: 1,
  })
  const add = (...names: string[]) => {
    for (const name of names) here.set(name, here.size + 1)
  }
  return { cache, here, used, state, evicted, failed, add, closing }
}

test('what was used longest ago goes, until a tenth of the limit is free', async t => {
  const { cache, here, add, evicted } = made(t, 50)
  add('a', 'b', 'c', 'd', 'e')
  t.equal(await cache.fit(), 0)
  t.same(cache.size, { bytes: 50, maxBytes: 50 })
  add('f')
  here.set('a', 99)
  t.equal(await cache.fit(), 20)
  t.same([...here.keys()], ['a', 'd', 'e', 'f'])
  t.same(evicted, [['b', 'c']])
  t.equal(cache.size.bytes, 40)
})

test('what is used stays, and something newer goes in its place', async t => {
  const { cache, here, add, used } = made(t, 20)
  add('a', 'b', 'c')
  used.add('a')
  await cache.fit()
  t.same([...here.keys()], ['a'])
  used.add('c')
  add('c', 'd')
  used.add('d')
  t.equal(await cache.fit(), 0, 'the limit gives way to what is used')
  t.equal(cache.size.bytes, 30)
})

test('nothing goes while it could not be fetched again', async t => {
  const { cache, here, add, state, failed } = made(t, 10)
  add('a', 'b', 'c')
  state.isAway = true
  t.equal(await cache.fit(), 0)
  t.equal(here.size, 3)
  t.equal(failed.length, 1, 'one question was enough')
  state.isAway = false
  await cache.fit()
  t.equal(here.size, 0)
})

test('one that cannot be given up does not keep the others', async t => {
  const { cache, here, add, state, failed } = made(t, 20)
  add('a', 'b', 'c')
  state.isBroken = 'a'
  await cache.fit()
  t.same([...here.keys()], ['a'])
  t.match(failed, [/broken/])
})

test('a full disk is given room whatever the limit is, in one look for all who ask', async t => {
  const { cache, here, add, state } = made(t, Infinity)
  add('a', 'b', 'c')
  t.same(await Promise.all([cache.makeRoom(15), cache.makeRoom(15)]), [20, 20])
  t.equal(state.looks, 1)
  t.same([...here.keys()], ['c'])
  t.equal(await cache.makeRoom(1), 10)
  t.equal(await cache.makeRoom(1), 0)
  const { looks } = state
  add('d')
  t.equal(await cache.makeRoom(1), 0)
  t.equal(state.looks, looks, 'it was in vain a moment ago')
  t.same(cache.size.maxBytes, null)
})

test('what came is looked at soon, and nothing after the end', async t => {
  const { cache, here, add, closing, state } = made(t, 10)
  add('a', 'b')
  cache.start()
  t.ok(await eventually(() => here.size === 0))
  closing.abort()
  const { looks } = state
  cache.grew()
  await cache.close()
  t.equal(state.looks, looks)
})

test('what was used a moment ago goes when it is used no more', async t => {
  const { cache, here, add, used, evicted } = made(t, 10)
  add('a', 'b')
  used.add('a').add('b')
  cache.start()
  t.ok(await eventually(() => cache.size.bytes === 20))
  used.clear()
  t.ok(await eventually(() => here.size === 0))
  t.equal(evicted.length, 1)
})

test('uses are counted by name in any case', async t => {
  let now = 5
  const inUse = createInUse(() => now)
  const gate = Promise.withResolvers<string>()
  const working = inUse.during('Shop', () => gate.promise)
  const failing = inUse.during('shop', () => Promise.reject(new Error('no')))
  t.ok(inUse.isHeld('SHOP'))
  await t.rejects(failing, /no/)
  t.ok(inUse.isHeld('shop'))
  gate.resolve('done')
  t.equal(await working, 'done')
  t.notOk(inUse.isHeld('shop'))
  t.equal(inUse.lastUse('shop'), null)
  inUse.touch('Shop')
  now = 9
  t.equal(inUse.lastUse('shop'), 5)
  t.same(inUse.used(), ['shop'])
  t.same(inUse.used(), [])
})
