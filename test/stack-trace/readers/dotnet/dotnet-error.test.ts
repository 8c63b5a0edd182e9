import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('a failed test: the message stands under a heading, a space before its colon', async t => {
  const text =
    'Failed Acme.CartTests.Total [2 s]\n  Error Message:\n   Acme.ShopException : out of stock\n' +
    '  Stack Trace:\n     at Acme.Cart.Total() in D:\\a\\1\\s\\Cart.cs:line 9\n' +
    '   at Acme.CartTests.Total() in D:\\a\\1\\s\\CartTests.cs:line 5\n'
  t.same(readExceptions(text), [
    {
      head: 'root Acme.ShopException: out of stock',
      frames: ['Acme.CartTests.Total D:\\a\\1\\s\\CartTests.cs:5', 'Acme.Cart.Total D:\\a\\1\\s\\Cart.cs:9'],
    },
  ])
})

test('a test runner prints what an assertion said between two labels', async t => {
  const text =
    '  Failed Shop.CartTest.Total [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\n' +
    'Expected: 2\nActual:   0\n  Stack Trace:\n' +
    '     at Shop.CartTest.Total() in /srv/app/CartTest.cs:line 12\n'
  t.same(readExceptions(text), [
    {
      head: 'root null: Assert.Equal() Failure: Values differ\nExpected: 2\nActual:   0',
      frames: ['Shop.CartTest.Total /srv/app/CartTest.cs:12'],
    },
  ])
})

test('an arrow in a message begins no inner exception', async t => {
  t.same(
    shown(['System.Exception: use ---> to point', '   at Acme.Till.Open() in C:\\shop\\Till.cs:line 9'].join('\n')),
    [{ head: 'root System.Exception: use ---> to point', frames: ['C:\\shop\\Till.cs:9 Acme.Till.Open'] }],
  )
})
