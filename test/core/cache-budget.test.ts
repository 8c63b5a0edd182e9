import fc from 'fast-check'
import { test } from 'tap'
import { CacheBudget } from '../../src/core/cache-budget.ts'
import { RecentlyUsed } from '../../src/core/recently-used.ts'
import { runs } from '../helpers/property-runs.ts'

const weight = (value: number): number => value

test('caches share one budget, and what was used longest ago goes first, wherever it stands', async t => {
  const budget = new CacheBudget(10)
  const texts = new RecentlyUsed<string, number>(budget, weight)
  const outlines = new RecentlyUsed<string, number>(budget, weight)
  texts.set('a', 4)
  outlines.set('a', 4)
  texts.find('a')
  outlines.set('b', 2)
  t.equal(budget.bytes, 10)
  texts.set('c', 3)
  t.same(
    [texts.find('a'), outlines.find('a'), outlines.find('b'), texts.find('c')],
    [4, undefined, 2, 3],
    'the outline was used longest ago',
  )
  t.equal(budget.bytes, 9)
  outlines.set('huge', 11)
  t.equal(outlines.find('huge'), undefined, 'what is too large is not kept')
  t.equal(budget.bytes, 9, 'and drives nothing out')
})

test('what a cache forgets is free for the others', async t => {
  const budget = new CacheBudget(10)
  const kept = new RecentlyUsed<string, number>(budget, weight)
  const closed = new RecentlyUsed<string, number>(budget, weight)
  kept.set('a', 3)
  closed.set('a', 3)
  closed.set('b', 4)
  closed.set('b', 2)
  t.equal(budget.bytes, 8)
  closed.clear()
  t.equal(budget.bytes, 3)
  kept.delete('a')
  t.equal(budget.bytes, 0)
  kept.set('b', 10)
  t.equal(kept.find('b'), 10)
})

test('a smaller budget drops what is too much at once', async t => {
  const budget = new CacheBudget(10)
  const cache = new RecentlyUsed<string, number>(budget, weight)
  for (const key of ['a', 'b', 'c']) cache.set(key, 3)
  budget.resize(6)
  t.same(
    ['a', 'b', 'c'].map(key => cache.find(key)),
    [undefined, 3, 3],
  )
  t.equal(budget.bytes, 6)
})

test('a value weighs what it weighed when it came', async t => {
  const budget = new CacheBudget(10)
  const lists = new RecentlyUsed<string, number[]>(budget, list => list.length)
  const list = [1, 2]
  lists.set('a', list)
  list.push(3)
  lists.delete('a')
  t.equal(budget.bytes, 0)
})

test('whatever happens, the bytes are those of what is kept, and never more than the budget', async t => {
  const operation = fc.record({
    cache: fc.nat(2),
    key: fc.nat(5),
    value: fc.nat(8),
    what: fc.constantFrom('set', 'get', 'find', 'delete', 'clear'),
  })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), operations => {
      const budget = new CacheBudget(20)
      const caches = [0, 1, 2].map(() => new RecentlyUsed<number, number>(budget, weight))
      for (const { cache, key, value, what } of operations) {
        const one = caches[cache]
        if (one === undefined) return false
        if (what === 'set') one.set(key, value)
        else if (what === 'get') one.get(key, () => value)
        else one[what](key)
        if (budget.bytes > 20) return false
      }
      const kept = caches.flatMap(one => [0, 1, 2, 3, 4, 5].map(key => one.find(key) ?? 0))
      return kept.reduce((sum, bytes) => sum + bytes, 0) === budget.bytes
    }),
    { numRuns: runs(300) },
  )
  t.pass()
})
