import { test } from 'tap'
import fc from 'fast-check'
import { FaultlineError } from '../../../src/core/errors.ts'
import { searchCode } from '../../../src/resolver/search/search.ts'
import type { SearchReader } from '../../../src/resolver/search/lists.ts'
import { memoryCodeReader, numberedFile } from '../../fakes/memory-code-reader.ts'

const FILES = {
  'src/shop/cart.py':
    'class Cart:\n    def total(self):\n        return sum(self.prices)\n\n    def is_empty(self):\n        return not self.prices\n',
  'src/shop/price_list.py':
    'def parse_price(text, fallback=None):\n    """Reads a price."""\n    if text == "":\n        return fallback\n    return int(text)\n',
  'src/shop/report.py':
    'from shop.price_list import parse_price\n\ndef render(rows):\n    return [parse_price(row, 0) for row in rows]\n',
  'tests/test_price_list.py':
    'from shop.price_list import parse_price\n\ndef test_parse_price():\n    assert parse_price("5") == 5\n    assert parse_price("", 1) == 1\n',
  'docs/price.md': 'How a price is parsed.\n',
}

const ask = async (
  text: string,
  {
    files = FILES,
    limit = 10,
    demotesTests = true,
    size = 500,
    reader = memoryCodeReader(files, { size, overlap: 0 }),
  }: {
    files?: Record<string, string>
    limit?: number
    demotesTests?: boolean
    size?: number
    reader?: SearchReader
  } = {},
) => await searchCode(text, { limit, demotesTests }, { reader, embedQuery: async () => null })
const paths = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).hits.map(({ path }) => path)

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

test('tests stand back a little, unless the query names them or the caller wants them alike', async t => {
  const place = async (...asked: Parameters<typeof ask>) => (await paths(...asked)).indexOf('tests/test_price_list.py')
  t.ok((await place('parse_price 5')) >= (await place('parse_price 5', { demotesTests: false })))
  t.equal(await place('test of parse_price'), 0)
})

test('each file counts with its best place, a further place half of that', async t => {
  const files = { 'a.py': 'needle one\nhay\nneedle needle needle\n', 'b.py': 'needle\n' }
  const { hits } = await ask('needle', { files, size: 1 })
  t.same(
    hits
      .map(({ path }) => path)
      .slice(0, 2)
      .sort(),
    ['a.py', 'b.py'],
  )
  const [, , third] = hits
  t.ok(third !== undefined && third.path === 'a.py' && third.score <= (hits[0]?.score ?? 0) / 2)
  t.same(
    hits.map(({ score }) => score),
    hits.map(({ score }) => score).sort((a, b) => b - a),
  )
  t.equal((await ask('needle', { files, size: 1, limit: 1 })).hits.length, 1)
})

test('quoted text is found as it is, punctuation and all, and nothing else is', async t => {
  t.same(await paths('"parse_price(row, "'), ['src/shop/report.py'])
  t.same(await paths('"arse_price(ro"'), ['src/shop/report.py'], 'from the middle of a word to the middle of another')
  t.same(await paths('"row, 0) for"'), ['src/shop/report.py'])
  t.same(await paths('"parse_price(row,  "'), [])
  t.same(await paths('"parse_price" "fallback"'), ['src/shop/price_list.py'], 'a hit holds all that is quoted')
  t.match((await ask('"return fallback"')).hits, [
    { path: 'src/shop/price_list.py', reason: 'lexical', highlightedLines: [4] },
  ])
  t.same(await paths('"=> nothing"'), [])
})

test('capital letters count in quoted text that has any', async t => {
  t.same(await paths('"CLASS cart:"'), [])
  t.same(await paths('"class cart:"'), ['src/shop/cart.py'])
  t.same(await paths('"class Cart:"'), ['src/shop/cart.py'])
})

test('quoted text without a word is found, too, over lines and where two chunks meet', async t => {
  t.same(await paths('"\\"\\","'), ['tests/test_price_list.py'])
  const { hits, complete } = await ask('"):\n"', {
    files: { 'a.py': 'def f():\n    pass\n', 'b.py': 'pass\n' },
    size: 1,
  })
  t.same(
    hits.map(({ path, startLine }) => [path, startLine]),
    [['a.py', 1]],
  )
  t.equal(complete, true)
})

test('a project too large to look through is said to be', async t => {
  const memory = memoryCodeReader({ 'a.py': 'x = 1\n', 'b.py': 'y = 2\n', 'c.py': '!!\n' })
  const huge: SearchReader = {
    ...memory,
    fileText: (repository, path) => (path === 'b.py' ? ' '.repeat(60 * 1_048_576) : memory.fileText(repository, path)),
  }
  t.same(await ask('"!!"', { reader: huge }), { hits: [], complete: false })
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

test('a snippet is twelve lines around the one that says most, with what is invisible shown', async t => {
  const {
    hits: [hit],
  } = await ask('line 650', { files: { 'long.py': numberedFile(900) }, size: 100 })
  t.match(hit, { snippetLine: 644, highlightedLines: [650] })
  t.equal(hit?.snippet.split('\n').length, 12)
  t.match((await ask('trick', { files: { 'a.py': 'trick \u202E\n' } })).hits[0]?.snippet, '\\u202E')
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
