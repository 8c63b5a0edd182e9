const assert = require('node:assert')
const { checkout, total } = require('../cart.js')

describe('cart', () => {
  it('totals', () => {
    assert.strictEqual(total([{ product: { price: 2 }, count: 2 }]), 5)
  })

  it('has products', () => {
    total([{ count: 1 }])
  })

  it('checks out', async () => {
    await Promise.resolve()
    checkout([{ count: 1 }])
  })
})
