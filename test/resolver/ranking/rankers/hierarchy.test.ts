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

test('types above and below that of the frame are found', t => {
  const found = new Map(graph().hierarchy.map(({ path, why }) => [path, why]))
  t.equal(found.get('app/base.py'), 'defines Basket, which Cart is built on')
  t.equal(found.get('app/gift.py'), 'GiftCart is built on Cart')
  t.end()
})
