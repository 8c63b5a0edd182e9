import assert from 'node:assert/strict'
import { test } from 'node:test'

const total = lines => lines.reduce((sum, line) => sum + line.price, 0)

test('adds up <all> lines', () => {
  assert.equal(total([]), 2, 'total "of nothing" & more')
})

test('has prices', () => {
  total([null])
})

test('works', () => {})
