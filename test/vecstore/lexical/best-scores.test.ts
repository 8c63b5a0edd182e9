import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import fc from 'fast-check'
import { BestScores } from '../../../src/vecstore/lexical/best-scores.ts'

test('the best are those that sorting finds: by score, then by id, and none without a score', async t => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 60 }),
      fc.integer({ min: 0, max: 70 }),
      (values, k) => {
        const scores = Float64Array.from(values)
        const ids = Uint32Array.from(values, (_, place) => (place * 7) % 61)
        const sorted = [...values.keys()]
          .filter(place => (values[place] ?? 0) > 0)
          .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || (ids[a] ?? 0) - (ids[b] ?? 0))
        return isDeepStrictEqual([...new BestScores(scores, ids, k).offerAll().take()], sorted.slice(0, k))
      },
    ),
  )
  t.pass()
})

test('of very many places the best come as sorting gives them, ties and all', async t => {
  for (const distinct of [3, 40, 100_000]) {
    const scores = Float64Array.from({ length: 20_000 }, (_, i) => ((i * 7_919) % 20_011) % distinct)
    const ids = Uint32Array.from(scores, (_, i) => i)
    const sorted = [...ids].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, 150)
    t.same([...new BestScores(scores, ids, 150).offerAll().take()], sorted, `${distinct} scores`)
  }
  const few = new Float64Array(20_000)
  few[19_999] = few[5] = 1
  const ids = Uint32Array.from(few, (_, i) => i)
  t.same([...new BestScores(few, ids, 150).offerAll().take()], [5, 19_999], 'a score of nothing is none')
})
