import { find } from './catalogue.js'
import { netPrice } from './pricing.js'
import { shippingFor } from './shipping.js'
import { taxOn } from './tax.js'

export class Cart {
  #country
  #lines = new Map()

  constructor (country) {
    this.#country = country
  }

  /** The same article again raises the quantity. */
  add (sku, quantity = 1) {
    if (!Number.isInteger(quantity) || quantity < 1) throw new RangeError(`Quantity of ${sku}: ${quantity}`)
    const line = this.#lines.get(sku) ?? { product: find(sku), quantity: 0 }
    line.quantity += quantity
    this.#lines.set(sku, line)
  }

  get lines () {
    return [...this.#lines.values()]
  }

  /** All amounts in cents. */
  totals (coupon) {
    let net = 0
    for (const line of this.lines) {
      net += netPrice(line, coupon)
    }
    const shipping = shippingFor(this.#country, this.lines)
    const tax = taxOn(net + shipping, this.#country)
    return { net, shipping, tax, total: net + shipping + tax }
  }
}
