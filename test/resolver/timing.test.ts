import { test } from 'tap'
import { ms } from '../../src/resolver/timing.ts'

test('milliseconds are told in tenths', async t => {
  t.same([0, 0.04, 0.05, 12.34, 1_000.99].map(ms), [0, 0, 0.1, 12.3, 1_001])
})
