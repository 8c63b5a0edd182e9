import { test } from 'tap'
import { referencesOf } from '../../../src/resolver/ranking/references.ts'
import { indexedCodeReader, prepareProject } from '../../fakes/indexed-code-reader.ts'

const TEXTS: Record<string, string> = {
  'app/money.py': 'def round_price(lines):\n    return lines\n',
  'app/cart.py': 'total = round_price(lines) + round_price(more)\n',
  'app/rounds.py': 'def round(price):\n    return price\n',
  'web/Cart.js': 'const roundPrice = ROUND_PRICE\n',
}
const reader = indexedCodeReader(
  prepareProject(
    Object.entries(TEXTS).map(([path, text]) => ({
      path,
      text,
      language: path.endsWith('.py') ? 'python' : 'javascript',
    })),
    { repository: 'shop' },
  ),
)
const paths = (name: string, most = 10) =>
  referencesOf(name, reader, most)
    .map(({ path }) => path)
    .sort()

test('the chunks that hold an identifier as a whole are found, whatever its case', async t => {
  t.same(paths('round_price'), ['app/cart.py', 'app/money.py', 'web/Cart.js'])
  t.same(paths('roundPrice'), ['web/Cart.js'])
  t.same(paths('nowhere'), [])
})

test('a name that is everywhere tells nothing', async t => {
  t.same(paths('round_price', 2), [])
  t.equal(paths('round_price', 3).length, 3)
})
