import { test } from 'tap'
import fc from 'fast-check'
import { FaultlineError } from '../../../src/core/errors.ts'
import { searchCode } from '../../../src/resolver/search/search.ts'
import { memoryCodeReader } from '../../fakes/memory-code-reader.ts'
import { ask, FILES, paths } from './search-in.ts'

test('the file that defines a name comes before those that use it, with the definition highlighted', async t => {
  const {
    hits: [first, ...others],
  } = await ask('parse_price')
  t.match(first, { path: 'src/shop/price_list.py', reason: /related|lexical/, highlightedLines: [1] })
  t.ok(others.some(({ path }) => path === 'src/shop/report.py'))
  t.equal((await paths('parsePrice'))[0], 'src/shop/price_list.py', 'however it is spelled')
  t.equal((await paths('parse price'))[0], 'src/shop/price_list.py')
})

test('a file that is asked for by its path comes first, at the line that is asked for', async t => {
  t.equal((await paths('src/shop/report.py'))[0], 'src/shop/report.py')
  t.match(
    (await ask('report.py', { size: 1 })).hits[0],
    { path: 'src/shop/report.py', startLine: 1, reason: 'lexical' },
    'from its beginning',
  )
  t.match((await ask('shop/cart.py:5', { size: 2 })).hits[0], {
    path: 'src/shop/cart.py',
    startLine: 5,
    reason: 'lexical',
    highlightedLines: [5],
  })
})

test('the chunk that is found holds the line that is asked for, be it its first, one within or its last', async t => {
  for (const [line, from, to] of [
    [1, 1, 3],
    [2, 1, 3],
    [3, 1, 3],
    [5, 4, 6],
    [6, 4, 6],
  ] as const) {
    t.match(
      (await ask(`shop/cart.py:${line}`, { size: 3 })).hits[0],
      { path: 'src/shop/cart.py', startLine: from, endLine: to, highlightedLines: [line] },
      `line ${line}`,
    )
  }
})

test('tests stand back a little, unless the query names them or the caller wants them alike', async t => {
  const place = async (...asked: Parameters<typeof ask>) => (await paths(...asked)).indexOf('tests/test_price_list.py')
  t.ok((await place('parse_price 5')) >= (await place('parse_price 5', { demotesTests: false })))
  t.equal(await place('test of parse_price'), 0)
})

test('without the embedding service a search goes by words and says so; a bug is not taken for it', async t => {
  const failing = (error: Error) =>
    searchCode(
      'parse_price',
      { limit: 1 },
      {
        reader: memoryCodeReader(FILES),
        embedQuery: async () => {
          throw error
        },
      },
    )
  t.match(await failing(new FaultlineError('EMBEDDING_UNAVAILABLE', 'down')), {
    hits: [{ path: 'src/shop/price_list.py' }],
    notice: /^Searched by words only/,
  })
  t.notOk('notice' in (await ask('parse_price')))
  await t.rejects(failing(new TypeError('a bug')), TypeError)
})

test('any text is answered, best first, with scores in (0, 1]', async t => {
  const reader = memoryCodeReader(FILES)
  for (const text of [
    '',
    ' ',
    '"',
    '""',
    'the of and',
    '((((',
    'a',
    '\0',
    '\ud800',
    '*',
    'привет',
    'x'.repeat(10_000),
  ]) {
    t.same((await ask(text, { reader })).complete, true, text.slice(0, 20))
  }
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async text => {
      const { hits } = await ask(text, { reader })
      return hits.every(({ score }, i) => score > 0 && score <= 1 && score <= (hits[i - 1]?.score ?? 1))
    }),
  )
})
