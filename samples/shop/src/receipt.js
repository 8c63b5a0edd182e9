import { money } from './money.js'

const WIDTH = 40
const row = (label, cents) => `${label.padEnd(WIDTH - 10)}${money(cents).padStart(10)}`

export function receipt (order, lines, { net, shipping, tax, total }) {
  return [
    `Order ${order.id} for ${order.customer}`,
    '-'.repeat(WIDTH),
    ...lines.map(({ product, quantity }) => row(`${quantity} x ${product.name}`, product.cents * quantity)),
    '-'.repeat(WIDTH),
    row('Net, after discounts', net),
    row('Shipping', shipping),
    row('Tax', tax),
    row('Total', total),
  ].join('\n')
}
