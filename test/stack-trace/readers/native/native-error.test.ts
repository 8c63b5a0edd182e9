import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('an assertion says why the program was aborted, with or without a stack', async t => {
  t.equal(read('gdb-13.1-assert')[0]?.head, 'root Assertion: tea.price == 4 && "price is wrong"')
  t.same(readExceptions("shop: src/cart.cpp:12: int acme::Cart::total() const: Assertion `sum > 0' failed."), [
    { head: 'root Assertion: sum > 0', frames: ['acme::Cart::total src/cart.cpp:12'] },
  ])
})
