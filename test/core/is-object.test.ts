import { test } from 'tap'
import { isObject } from '../../src/core/is-object.ts'

test('null, lists and plain values are no objects with fields', async t => {
  for (const value of [null, undefined, [], 'text', 1, true]) t.equal(isObject(value), false)
  for (const value of [{}, { a: 1 }, Object.create(null)]) t.equal(isObject(value), true)
})
