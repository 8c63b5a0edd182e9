import { test } from 'tap'
import { rankByWords, sourceAround } from '../../../../src/resolver/ranking/rankers/lexical.ts'
import { sourceLines } from '../../../../src/resolver/code/source-lines.ts'
import { queryOf, traceback } from './query-of.ts'

const FILES = {
  'app/cart.py': 'def total(order):\n    return order.gross - rebate(order)\n',
  'app/rebate.py': 'def rebate(order):\n    return order.gross * RATE\n',
  'app/other.py': 'def unrelated():\n    return 1\n',
}
const pathsOf = (hits: ReadonlyArray<{ path: string }>): string[] => hits.map(({ path }) => path)

test('files are found by the words of the text, of the message and of the failing code', async t => {
  const { query, reader } = queryOf(traceback('AttributeError: gross', 'app/cart.py:2:total'), FILES)
  const { textFiles, message, source, elsewhere, rareWords } = rankByWords(query, reader)
  t.ok(pathsOf(textFiles).includes('app/cart.py'))
  t.same(pathsOf(message).sort(), ['app/cart.py', 'app/rebate.py'])
  t.equal(source[0]?.path, 'app/cart.py')
  t.equal(elsewhere[0]?.path, 'app/rebate.py')
  t.notOk(pathsOf(elsewhere).includes('app/cart.py'), 'a file of the trace is not elsewhere')
  t.notOk(pathsOf(rareWords).includes('app/cart.py'))
  for (const { score } of [...textFiles, ...message, ...source]) t.ok(score > 0 && score <= 1)
})

test('a text without frames has no failing code', async t => {
  const { query, reader } = queryOf('the gross total is wrong', FILES)
  const { textFiles, source } = rankByWords(query, reader)
  t.same(source, [])
  t.ok(textFiles.length > 0)
})

test('the code around a place is cut where its lines are very long', async t => {
  const { query } = queryOf(traceback('E: x', 'app/cart.py:2:total'), FILES)
  const [place] = query.places
  if (place === undefined) return t.fail('no place')
  t.equal(sourceAround(place, 0), '    return order.gross - rebate(order)')
  t.equal(sourceAround(place, 1).split('\n').length, 2)
  t.equal(sourceAround({ ...place, line: null }, 3), '')
  t.equal(sourceAround({ ...place, line: 1, lines: sourceLines('x'.repeat(1000)) }, 0).length, 300)
})
