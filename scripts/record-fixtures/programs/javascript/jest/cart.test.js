const { checkout, total } = require('../cart.js')

describe('cart', () => {
  test('totals', () => {
    expect(total([{ product: { price: 2 }, count: 2 }])).toBe(5)
  })

  test('has products', () => {
    total([{ count: 1 }])
  })

  test('checks out', async () => {
    await Promise.resolve()
    checkout([{ count: 1 }])
  })

  test('rejects', async () => {
    await expect(Promise.resolve(1)).rejects.toThrow('closed')
  })
})
