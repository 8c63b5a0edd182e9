import { test } from 'tap'
import { rankCart } from './rank-cart.ts'

test('types above and below that of the frame are found', t => {
  const found = new Map(rankCart().hierarchy.map(({ path, why }) => [path, why]))
  t.equal(found.get('app/base.py'), 'defines Basket, which Cart is built on')
  t.equal(found.get('app/gift.py'), 'GiftCart is built on Cart')
  t.end()
})
