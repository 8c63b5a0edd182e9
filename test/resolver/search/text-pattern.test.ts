import { test } from 'tap'
import fc from 'fast-check'
import { findText } from '../../../src/resolver/search/text-pattern.ts'
import { runs } from '../../helpers/property-runs.ts'

const LONG = 129
const startsOf = (wanted: string, text: string, ignoresCase = false) =>
  findText(wanted, { ignoresCase })(text, 10).map(({ start }) => start)

test('a long text is found where it stands, as a short one is', async t => {
  const long = 'ab'.repeat(70) + 'c'
  t.same(startsOf(long, `${long}ab${long}`), [0, long.length + 2], 'also where a beginning of it goes before')
  t.same(startsOf('a.b', 'acb a.b'), [4])
  t.same(
    findText('ab', { ignoresCase: false })('ab ab ab', 2),
    [
      { start: 0, end: 2 },
      { start: 3, end: 5 },
    ],
    'no more than wanted',
  )
  t.same(startsOf('x'.repeat(LONG), 'x'.repeat(3 * LONG - 1)), [0, LONG], 'no place over another')
  t.same(startsOf('x'.repeat(LONG), ''), [])
})

test('case counts or not in long texts as in short ones', async t => {
  const dots = '.'.repeat(LONG)
  for (const [wanted, other] of [
    ['straße', 'STRAẞE'],
    ['привет', 'ПРИВЕТ'],
    ['σ', 'ς'],
    ['k', '\u212A'],
    ['i', 'ı'],
    ['i', 'İ'],
    ['a', 'b'],
  ] as const) {
    t.same(startsOf(`${dots}${wanted}`, `${dots}${other}`, true), startsOf(wanted, other, true), `${wanted} ${other}`)
    t.same(startsOf(`${dots}${wanted}`, `${dots}${other}`), [])
  }
  t.same(startsOf(`${dots}straße`, `${dots}STRAẞE`, true), [0])
})

test('places of long texts are those that an expression finds', async () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), maxLength: 12 })
  fc.assert(
    fc.property(letters, letters, letters, fc.boolean(), (piece, before, after, ignoresCase) => {
      const wanted = `a${piece}`.repeat(LONG)
      const text = `${before}${wanted}${after}${wanted.slice(0, -3)}${wanted.toUpperCase()}${wanted}`
      const expected = [...text.matchAll(new RegExp(wanted, ignoresCase ? 'gi' : 'g'))].map(({ index }) => index)
      return JSON.stringify(startsOf(wanted, text, ignoresCase)) === JSON.stringify(expected)
    }),
    { numRuns: runs(100) },
  )
})
