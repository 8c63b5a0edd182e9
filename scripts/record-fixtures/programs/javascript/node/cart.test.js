const assert = require('node:assert')
const { describe, it } = require('node:test')
const { checkout, total } = require('../cart.js')

describe('cart', () => {
  it('totals', () => {
    assert.strictEqual(total([{ product: { price: 2 }, count: 2 }]), 5)
  })

  it('checks out', async () => {
    await Promise.resolve()
    checkout([{ count: 1 }])
  })
})
