import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { shown } from '../../../helpers/shown-trace.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('an assertion says why the program was aborted, with or without a stack', async t => {
  t.equal(read('gdb-13.1-assert')[0]?.head, 'root Assertion: tea.price == 4 && "price is wrong"')
  t.same(readExceptions("shop: src/cart.cpp:12: int acme::Cart::total() const: Assertion `sum > 0' failed."), [
    { head: 'root Assertion: sum > 0', frames: ['acme::Cart::total src/cart.cpp:12'] },
  ])
})

test('the crash reason of a minidump names the signal', async t => {
  t.same(
    shown(
      [
        'Operating system: Linux',
        'Crash reason:  SIGSEGV /SEGV_MAPERR',
        'Crash address: 0x0',
        '',
        'Thread 0 (crashed)',
        ' 0  shop!acme::sell(int) [main.cc : 12 + 0x5]',
        '    rax = 0x0000000000000000',
        ' 1  shop!main [main.cc : 30 + 0x9]',
      ].join('\n'),
    ),
    [{ head: 'root SIGSEGV: SIGSEGV /SEGV_MAPERR', frames: ['main.cc:30 main', 'main.cc:12 acme::sell'] }],
  )
})
