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
