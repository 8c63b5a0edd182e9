// Marketing writes the codes in capitals.
const COUPONS = new Map([
  ['SPRING10', { percent: 10, category: 'any' }],
  ['TEATIME', { percent: 25, category: 'tea' }],
])

const couponFor = code => COUPONS.get(code.trim())

/** What a coupon takes off an amount, in cents. */
export function discountOn (product, cents, code) {
  if (!code) return 0
  const coupon = couponFor(code)
  const applies = coupon.category === 'any' || coupon.category === product.category
  return applies ? Math.round(cents * coupon.percent / 100) : 0
}
