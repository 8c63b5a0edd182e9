import { test } from 'tap'
import type { RankerHit } from '../../../../src/resolver/ranking/rankers/hits.ts'
import { rankByQuotes } from '../../../../src/resolver/ranking/rankers/quoted.ts'
import { queryOf, traceback } from './query-of.ts'

const FILES = {
  'app/cart.py': 'def total(lines):\n    return lines["discount_rate"]\n',
  'app/rows.py': 'def rows():\n    return [{"discount_rate": 1}]\n',
  'app/rates.py': 'discount_rate = 1\n',
  'app/other.py': 'def nothing():\n    return "disc"\n',
}
const quotes = (error: string): RankerHit[] => {
  const { query, reader } = queryOf(traceback(error, 'app/cart.py:2:total'), FILES)
  return rankByQuotes(query, reader)
}

test('what the message quotes is found where it stands in quotes, outside of the trace', t => {
  t.match(quotes("KeyError: 'discount_rate'"), [
    { path: 'app/rows.py', score: 1, why: 'holds the literal discount_rate of the message' },
  ])
  t.equal(quotes("KeyError: 'discount_rate'").length, 1)
  t.end()
})

test('only the same quote on both sides makes a literal, wherever in the file it stands', t => {
  const heldIn = (text: string): boolean => {
    const { query, reader } = queryOf(traceback("KeyError: 'discount_rate'", 'app/cart.py:2:total'), {
      ...FILES,
      'app/rows.py': text,
    })
    return rankByQuotes(query, reader).some(({ path }) => path === 'app/rows.py')
  }
  t.equal(heldIn("a = \"discount_rate'\nb = 'the discount_rate'\nc = `discount_rate`"), true)
  t.equal(heldIn("discount_rate = \"discount_rate'\nb = 'the discount_rate'"), false)
  t.equal(heldIn('discount_rate'), false)
  t.end()
})

test('a quotation that is no word, or that no file knows, leads nowhere', t => {
  t.same(quotes("KeyError: '--'"), [])
  t.same(quotes("KeyError: 'unknown_key'"), [])
  t.end()
})

test('a message without quotations leads nowhere', t => {
  t.same(quotes('ValueError: no discount_rate'), [])
  t.end()
})
