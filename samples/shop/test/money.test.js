import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { money } from '../src/money.js'

test('thousands are grouped and cents have two digits', () => {
  assert.equal(money(123456), '1,234.56')
  assert.equal(money(-5), '-0.05')
})
