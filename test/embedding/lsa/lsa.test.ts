import { test } from 'tap'
import { LSA } from '../../../src/embedding/lsa/lsa.ts'

test('what was learned, written and read again embeds as before', async t => {
  const words = [
    'cart total price',
    'cart item price',
    'user login name',
    'user session login',
    'cart price',
    'user name',
  ]
  const terms = [...new Set(words.flatMap(text => text.split(' ')))]
  const rows = words.map(text => text.split(' ').map(word => terms.indexOf(word)))
  const offsets = Uint32Array.from([0, ...rows.map((_, row) => rows.slice(0, row + 1).flat().length)])
  const fit = LSA.fitLsa([
    {
      documentCount: rows.length,
      termCount: terms.length,
      offsets,
      termIds: Uint32Array.from(rows.flat()),
      counts: Uint8Array.from(rows.flat(), () => 1),
      termAt: id => terms[id] ?? '',
    },
  ])
  if (fit === null) return t.fail('nothing was learned')
  const again = LSA.openFit(LSA.serializeFit(fit))
  t.equal(again.id, fit.id)
  const query = (space: typeof fit) => [...(LSA.createEmbedder(space).embedQuery('cart price') ?? [])]
  t.ok(query(fit).length > 0)
  t.same(query(again), query(fit))
})
