import { test } from 'tap'
import { describeFault, describeFaults, hasSameFault } from '../../../../src/pipelines/steps/verify/same-fault.ts'

const WANTED = { type: 'shop.PriceError', path: 'shop/prices.py', function: 'average', line: 3 }
const place = (path: string, of: string | null, line: number | null) => ({ path, function: of, line })
const fault = (type: string | null, ...places: Array<ReturnType<typeof place>>) => ({ type, places })

test('a fault is the same by its type and the innermost function or line outside of tests', async t => {
  const inTest = place('tests/test_prices.py', 'test_x', 9)
  for (const [found, expected] of [
    [fault('PriceError', inTest, place('shop/prices.py', 'average', 7)), true],
    [fault('PriceError', inTest, place('shop/prices.py', null, 3)), true],
    [fault('PriceError', place('shop/prices.py', 'Prices.average', 7)), true],
    [fault('PriceError', place('shop/prices.py', 'average', 3), inTest), true],
    [fault('ValueError', inTest, place('shop/prices.py', 'average', 3)), false],
    [fault('PriceError', inTest, place('shop/prices.py', 'median', 7)), false],
    [fault('PriceError', place('shop/prices.py', 'average', 3), place('shop/other.py', 'x', 1)), false],
    [fault('PriceError', inTest), false],
    [fault(null, place('shop/prices.py', 'average', 3)), false],
  ] as const) {
    t.equal(hasSameFault([found], WANTED), expected, JSON.stringify(found))
  }
  t.equal(hasSameFault([], WANTED), false)
})

test('faults are said in words', async t => {
  t.equal(describeFault(WANTED), 'shop.PriceError in average (shop/prices.py:3)')
  t.equal(describeFault({ type: null, path: 'a.py', function: null, line: null }), 'the error (a.py)')
  t.equal(
    describeFaults([fault('E', place('tests/test_a.py', null, 1)), fault('F'), fault(null), fault('F')]),
    'E (tests/test_a.py:1); F; an error',
  )
})
