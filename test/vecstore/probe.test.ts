import { test } from 'tap'
import { probeStore } from '../../src/vecstore/probe.ts'

test('a machine on which the store works has nothing to complain about', async t => {
  t.strictSame(probeStore(), { vectors: null, catalogue: null })
})
