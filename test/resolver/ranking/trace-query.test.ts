import { test } from 'tap'
import { queryOf, traceback } from './rankers/query-of.ts'

const FILES = {
  'app/cart.py':
    'class Cart:\n    def total(self):\n        return self.net() + 1\n\n    def net(self):\n        return 1\n',
  'app/main.py': 'from cart import Cart\n\nCart().total()\n',
}

test('a trace is read into its message, quotations, names and places, innermost first', async t => {
  const { query } = queryOf(
    traceback('shop.errors.CartError: no key \'rate\' in "prices"', 'app/main.py:3:<module>', 'app/cart.py:3:total'),
    FILES,
  )
  t.match(query.message, /no key 'rate'/)
  t.same(query.quoted.slice(0, 2), ['rate', 'prices'])
  t.same([...query.exceptionNames], ['CartError'])
  t.same(query.functions, ['total'])
  t.match(query.places[0], {
    path: 'app/cart.py',
    line: 3,
    name: 'total',
    owner: 'Cart',
    scope: { name: 'total' },
    type: { name: 'Cart' },
    distance: 0,
  })
  t.same(
    query.named.map(({ path, traceLines }) => [path, traceLines]),
    [
      ['app/cart.py', [3]],
      ['app/main.py', [3]],
    ],
  )
})

test('a function is one place however often it is called; its file keeps all lines of the trace', async t => {
  const { query } = queryOf(
    traceback('E: x', 'app/cart.py:3:total', 'app/cart.py:2:total', 'app/cart.py:6:net', 'app/cart.py:3:total'),
    FILES,
  )
  t.same(
    query.places.map(({ name, line }) => [name, line]),
    [
      ['total', 3],
      ['net', 6],
    ],
  )
  t.same(query.named[0]?.traceLines, [3, 6, 2])
})

test('a long text keeps both ends, and a text without frames names nothing', async t => {
  const { query } = queryOf(`begin ${'x '.repeat(300_000)} end`, FILES)
  t.ok(query.text.length < 400_000)
  t.match(query.text, /^begin/)
  t.match(query.text, /end$/)
  t.same(query.places, [])
  t.same(query.named, [])
})

test('of two definitions that begin in one line the smaller one is around a place', async t => {
  const { query } = queryOf(traceback('E: x', 'web/cart.js:2:total'), {
    'web/cart.js': 'class Cart { total() {\n    return this.net()\n  }\n\n  net() {\n    return 1\n  }\n}\n',
  })
  t.match(query.places[0], { scope: { name: 'total' }, type: { name: 'Cart' } })
})
