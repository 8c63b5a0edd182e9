import { test } from 'tap'
import { swiftName, swiftRow } from '../../../../src/stack-trace/readers/swift/swift-frame.ts'

test('a function is what the source calls it', async t => {
  const names: Array<[printed: string, expected: string | null]> = [
    ['closure #1 in closure #1 in Cart.total(of:)', 'Cart.total'],
    ['specialized Sequence.forEach(_:)', 'Sequence.forEach'],
    ['@objc Cart.touched(_:with:)', 'Cart.touched'],
    ['Cart.lines.getter', 'Cart.lines'],
    ['-[UIWindow sendEvent:]', '-[UIWindow sendEvent:]'],
    ['main', 'main'],
    ['getDetails #1 (vc:) in routes(_:)', 'getDetails'],
    ['protocol witness for Priced.total() in conformance Cart', 'Priced.total'],
    ['thunk for @escaping () -> ()', null],
  ]
  for (const [printed, expected] of names) t.equal(swiftName(printed), expected, printed)
})

test('lists and tables of other tools are no rows', async t => {
  for (const line of [
    '1 apple in basket',
    '12  files changed',
    '0 errors',
    '3 in a row',
    '10:30 in the morning',
    '1. first',
    '2 tests in 3 files',
  ]) {
    t.equal(swiftRow(line), null, line)
  }
})
