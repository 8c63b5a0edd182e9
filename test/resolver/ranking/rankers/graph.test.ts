import { test } from 'tap'
import { type GraphLists, rankByGraph } from '../../../../src/resolver/ranking/rankers/graph.ts'
import { queryOf, traceback } from './query-of.ts'

const FILES = {
  'app/cart.py':
    'from app.money import round_price\nfrom app.base import Basket\n\nclass Cart(Basket):\n' +
    '    def total(self):\n        return round_price(self.lines)\n',
  'app/money.py': 'def round_price(lines):\n    return sum(lines)\n',
  'app/base.py': 'class Basket:\n    pass\n',
  'app/gift.py': 'from app.cart import Cart\n\nclass GiftCart(Cart):\n    pass\n',
  'web/checkout.py': 'def pay(cart):\n    return charge(cart.total())\n',
  'web/other.py': 'def nothing():\n    pass\n',
}

const TRACE = traceback('TypeError: unsupported operand', 'app/cart.py:6:total')

function graph(trace = TRACE): GraphLists {
  const { query, reader } = queryOf(trace, FILES)
  return rankByGraph(query, reader, () => 0.5)
}

test('what the failing line calls is found where it is defined, and the evidence says where it is used', t => {
  t.match(graph().callees[0], {
    path: 'app/money.py',
    why: 'defines round_price, used at app/cart.py:6',
    lines: [{ startLine: 1, endLine: 2 }],
  })
  t.end()
})

test('who uses the type of the frame is found outside of the trace', t => {
  const { users } = graph()
  t.match(users[0], { path: 'app/gift.py', why: 'uses Cart of app/cart.py' })
  t.notOk(users.some(({ path }) => path === 'app/cart.py'))
  t.end()
})

test('a text without frames leads nowhere', t => {
  t.ok(Object.values(graph('the total is wrong')).every(list => list.length === 0))
  t.end()
})
