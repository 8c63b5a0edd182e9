import { test } from 'tap'
import { probeStore, searchHere } from '../../src/vecstore/probe.ts'
import { LARGE_SEARCH } from '../helpers/hnsw.ts'

test('a machine on which the store works has nothing to complain about', async t => {
  t.match(probeStore(), { hnsw: LARGE_SEARCH === 'hnsw' ? null : /^Cannot find/, catalogue: null })
  t.equal(searchHere(), LARGE_SEARCH)
})
