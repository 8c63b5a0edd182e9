import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Cart } from '../src/cart.js'

test('the same article twice is one line', () => {
  const cart = new Cart('DE')
  cart.add('cup-thin')
  cart.add('cup-thin', 3)
  assert.equal(cart.lines.length, 1)
  assert.equal(cart.lines[0].quantity, 4)
})

test('a coupon for tea leaves the pot at its price', () => {
  const cart = new Cart('DE')
  cart.add('pot-clay')
  cart.add('tea-sencha', 2)
  assert.equal(cart.totals('TEATIME').net, 3900 + 2500 - 625)
})

test('ten of a kind are cheaper', () => {
  const cart = new Cart('FR')
  cart.add('tea-assam', 10)
  assert.equal(cart.totals().net, 8900 - 445)
})
