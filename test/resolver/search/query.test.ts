import { test } from 'tap'
import fc from 'fast-check'
import { readQuery } from '../../../src/resolver/search/query.ts'

test('identifiers that are written as code are names, other words are words', async t => {
  const names = (text: string) => [...readQuery(text).names].sort()
  t.same(names('parsePrice loses the sign of a max_price'), ['max_price', 'parsePrice'])
  t.same(names('call retry() of Cart.total or cart::sum'), ['Cart', 'cart', 'retry', 'sum', 'total'])
  t.same(names('`average` of an empty cart'), ['average'])
  t.same(names('an average, of 20 items. The end'), [])
  t.same([...readQuery('The average of `cart`').words], ['average'])
})

test('words in a row may be one name, over a hyphen, too, but not over a comma', async t => {
  const compounds = (text: string) => readQuery(text).compounds.map(parts => parts.join(' '))
  t.same(compounds('Lazy loading, the price lists'), ['lazy loading', 'price lists', 'the price lists'])
  t.same(compounds('HTTPServer, parsePriceOf'), ['parse price of'])
  t.same(compounds('no-unused-vars'), ['unused vars', 'no unused vars'])
})

test('the parts of a name are words in a row, of up to five', async t => {
  const compounds = (text: string) => readQuery(text).compounds.map(parts => parts.join(' '))
  t.same(compounds('parseThePriceOfCart'), ['parse the price of cart'])
  t.same(compounds('parseThePriceOfMyCart'), [])
})

test('what is in double quotes is taken as it is, and its words are searched for, too', async t => {
  const query = readQuery('where "foo(bar, " and "say \\"hi\\"" stand')
  t.same(query.literals, ['foo(bar, ', 'say "hi"'])
  t.ok(query.counts.has('foo') && query.counts.has('hi') && query.counts.has('stand'))
  t.same(readQuery('5" wide').literals, [], 'a quote alone is none')
  t.same(readQuery('"" "  "').literals, [])
})

test('paths and lines are read as people write them', async t => {
  const mentions = (text: string) => readQuery(text).mentions
  t.same(mentions('in ./src/cart.py:12:5.'), [{ path: 'src/cart.py', line: 12 }])
  t.same(mentions('File "/app/src/shop/cart.py", line 3'), [{ path: 'app/src/shop/cart.py', line: null }])
  t.same(mentions('src\\shop\\Cart.cs#L40-L50'), [{ path: 'src/shop/Cart.cs', line: 40 }])
  t.same(mentions('and/or. Done...'), [])
})

test('a query asks for tests when it says so', async t => {
  t.equal(readQuery('tests of the cart').asksForTests, true)
  t.equal(readQuery('the latest cart').asksForTests, false)
})

test('any text is read, in bounds', async t => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 500 }), text => readQuery(text).literals.length <= 8))
  const long = readQuery('fooBar "x y" a/b.c '.repeat(5_000))
  t.ok(long.text.length <= 4_000 && long.literals.length <= 8 && long.compounds.length <= 400)
})
