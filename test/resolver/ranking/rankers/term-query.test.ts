import { test } from 'tap'
import { countTerms, termQuery } from '../../../../src/resolver/ranking/rankers/term-query.ts'
import { memoryCodeReader } from '../../../fakes/memory-code-reader.ts'

const READER = memoryCodeReader({
  'a.py': 'cart total discount\n',
  'b.py': 'cart total\n',
  'c.py': 'cart\n',
})

test('terms are counted by their weight, in what was counted before', async t => {
  const counts = countTerms('cart cart', 1)
  t.equal(counts.get('cart'), 2)
  countTerms('cart', 3, counts)
  t.equal(counts.get('cart'), 5)
})

test('a query has only terms that the index knows, repeated ones a little heavier', async t => {
  const { terms, attainable } = termQuery(countTerms('cart discount discount unheard'), READER)
  t.same([...terms.keys()].sort(), ['cart', 'discount'])
  t.ok((terms.get('discount') ?? 0) > (terms.get('cart') ?? 0))
  t.ok((terms.get('discount') ?? 0) < 2)
  t.ok(attainable > 0)
  t.equal(termQuery(countTerms('unheard'), READER).attainable, 0)
})

test('of many terms the rarest are taken', async t => {
  t.same([...termQuery(countTerms('cart total discount'), READER, { most: 1 }).terms.keys()], ['discount'])
})

test('with rarity rare terms weigh more', async t => {
  const { terms } = termQuery(countTerms('cart discount'), READER, { rarity: 1 })
  t.ok((terms.get('discount') ?? 0) > (terms.get('cart') ?? 0))
})
