import { test } from 'tap'
import { RecentlyUsed } from '../../src/core/recently-used.ts'

test('values are made once, and those used longest ago go when the rest is too heavy', async t => {
  const made: string[] = []
  const kept = new RecentlyUsed<string, number>(10, weight => weight)
  const get = (key: string, weight: number) =>
    kept.get(key, () => {
      made.push(key)
      return weight
    })
  for (const [key, weight] of [
    ['a', 4],
    ['b', 4],
    ['a', 4],
    ['c', 4],
    ['a', 4],
    ['b', 4],
  ] as const) {
    t.equal(get(key, weight), weight)
  }
  t.same(made, ['a', 'b', 'c', 'b'], 'b was used longest ago when c came')
  t.equal(get('huge', 99), 99)
  t.equal(get('huge', 99), 99)
  t.same(made.slice(4), ['huge', 'huge'], 'what is too heavy is not kept')
})

test('what is deleted is made anew and its weight is free', async t => {
  const kept = new RecentlyUsed<string, number>(10, weight => weight)
  for (const [key, weight] of [
    ['a', 4],
    ['b', 6],
  ] as const) {
    kept.set(key, weight)
  }
  kept.delete('a')
  kept.delete('never there')
  kept.set('c', 4)
  t.same(
    ['a', 'b', 'c'].map(key => kept.find(key)),
    [undefined, 6, 4],
  )
})

test('whoever wants to hears of each value that is kept no longer', async t => {
  const gone: number[] = []
  const kept = new RecentlyUsed<string, number>(
    10,
    weight => weight,
    weight => gone.push(weight),
  )
  kept.set('a', 4)
  kept.set('a', 5)
  t.same(gone, [4], 'it was replaced')
  kept.set('b', 6)
  t.same(gone, [4, 5], 'there was no room')
  kept.delete('b')
  kept.set('c', 11)
  kept.set('d', 1)
  kept.clear()
  t.same(gone, [4, 5, 6, 11, 1])
})
