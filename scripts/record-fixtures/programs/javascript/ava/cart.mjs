import test from 'ava'
import cart from '../cart.js'

test('totals', (t) => {
  t.is(cart.total([{ product: { price: 2 }, count: 2 }]), 5)
})

test('checks out', async (t) => {
  await Promise.resolve()
  cart.checkout([{ count: 1 }])
  t.pass()
})
