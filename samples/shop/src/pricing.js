import { discountOn } from './discounts.js'

const BULK_FROM = 10
const BULK_PERCENT = 5

/** Price of one line of the cart in cents, after bulk rebate and coupon. */
export function netPrice ({ product, quantity }, coupon) {
  const full = product.cents * quantity
  const rebate = quantity >= BULK_FROM ? Math.round(full * BULK_PERCENT / 100) : 0
  const discount = discountOn(product, full - rebate, coupon)
  return full - rebate - discount
}
