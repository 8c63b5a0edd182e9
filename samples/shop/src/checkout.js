import { Cart } from './cart.js'
import { receipt } from './receipt.js'

/**
 * Turns an order into the text of its receipt.
 *
 * @param {{ id: number, customer: string, country: string, coupon?: string, items: Array<{ sku: string, quantity: number }> }} order
 */
export function checkOut (order) {
  const cart = new Cart(order.country)
  for (const { sku, quantity } of order.items) cart.add(sku, quantity)
  const totals = cart.totals(order.coupon)
  return receipt(order, cart.lines, totals)
}
