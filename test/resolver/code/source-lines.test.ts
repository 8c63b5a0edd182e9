import fc from 'fast-check'
import { test } from 'tap'
import { splitLines } from '../../../src/core/source-text.ts'
import { sourceLines } from '../../../src/resolver/code/source-lines.ts'
import { runs } from '../../helpers/property-runs.ts'

const TEXT = fc
  .array(fc.constantFrom('a', 'b', 'ab', '\n', '\n\n', ' ', 'é', '\u2028'), { maxLength: 30 })
  .map(all => all.join(''))

test('the lines of a text are those that it is divided into', async t => {
  fc.assert(
    fc.property(TEXT, fc.nat(12), fc.nat(12), (text, from, to) => {
      const expected = splitLines(text)
      const lines = sourceLines(text)
      t.equal(lines.length, expected.length)
      t.same(
        Array.from({ length: lines.length + 2 }, (_, i) => lines.line(i - 1)),
        [undefined, ...expected, undefined],
      )
      t.same(lines.slice(from, to), expected.slice(from, to))
      t.equal(lines.text, text)
    }),
    { numRuns: runs(200) },
  )
})

test('the lines that hold a part are told once each, in order', async t => {
  fc.assert(
    fc.property(TEXT, fc.constantFrom('a', 'b', 'ab', 'é', ''), (text, part) => {
      const expected = splitLines(text).flatMap((line, i) => (part !== '' && line.includes(part) ? [i] : []))
      t.same(sourceLines(text).holding(part), expected)
    }),
    { numRuns: runs(200) },
  )
})
