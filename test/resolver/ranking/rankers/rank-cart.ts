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

/** What the imports, calls and types of a small shop say of a trace, by default of one that ends in its cart. */
export function rankCart(trace = TRACE): GraphLists {
  const { query, reader } = queryOf(trace, FILES)
  return rankByGraph(query, reader, () => 0.5)
}
