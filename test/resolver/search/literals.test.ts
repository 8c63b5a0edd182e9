import { test } from 'tap'
import type { SearchReader } from '../../../src/resolver/search/lists.ts'
import { memoryCodeReader } from '../../fakes/memory-code-reader.ts'
import { ask, paths } from './search-in.ts'

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
