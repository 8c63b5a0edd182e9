import { test } from 'tap'
import { orderOfTerms, termHash } from '../../../src/vecstore/lexical/term-order.ts'

test(
  'terms are ordered by hash whatever order they come in, and the hash is the one that files on disk were ' +
    'written with',
  async t => {
    const terms = Array.from({ length: 5_000 }, (_, i) => `term${i}`)
    const { order, hashes } = orderOfTerms(terms)
    const sorted = [...order].map(i => terms[i] ?? '')
    t.same(
      sorted,
      terms.toSorted((a, b) => termHash(a) - termHash(b) || (a < b ? -1 : 1)),
    )
    t.same([...hashes], terms.map(termHash))
    const reversed = terms.toReversed()
    t.same(
      [...orderOfTerms(reversed).order].map(i => reversed[i] ?? ''),
      sorted,
    )
    t.equal(termHash('config'), 0x23ff2139)
  },
)

test('terms that share a hash are ordered by their text', async t => {
  const [a, b] = ['costarring', 'liquid'] // known to collide in 32-bit FNV-1a
  t.equal(termHash(a ?? ''), termHash(b ?? ''))
  for (const terms of [
    ['x1', 'liquid', 'costarring'],
    ['costarring', 'liquid', 'x1'],
  ]) {
    const sorted = [...orderOfTerms(terms).order].map(i => terms[i] ?? '')
    t.ok(sorted.indexOf('costarring') === sorted.indexOf('liquid') - 1, sorted.join(' '))
  }
})
