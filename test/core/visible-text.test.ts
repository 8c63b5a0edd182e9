import fc from 'fast-check'
import { test } from 'tap'
import { escaped, showBidi, showLine } from '../../src/core/visible-text.ts'
import { runs } from '../helpers/property-runs.ts'

test('a line shows controls, bidirectional ones and lone surrogates, and is otherwise as it was', t => {
  t.equal(showLine("\tif a == 'é' # 😀"), "\tif a == 'é' # 😀")
  t.equal(showLine('a\u202Eb\u0000c\u2028d\u007Fe\nf'), 'a\\u202Eb\\u0000c\\u2028d\\u007Fe\\u000Af')
  t.equal(showLine('a\ud800'), 'a\ufffd')
  t.end()
})

test('a line is shown as its characters are, one by one', t => {
  const character = fc.oneof(
    fc.constantFrom('\t', '\n', ' ', '~', '\u007f', '\u0085', '\u2028', '\u202e', 'é', 'a'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  )
  fc.assert(
    fc.property(fc.array(character, { maxLength: 8 }), characters => {
      const shown = characters.map(one =>
        /^(?:[^\P{Cc}\t]|[\u2028\u2029])$/u.test(one) ? escaped(one) : showBidi(one),
      )
      t.equal(showLine(characters.join('')), shown.join(''))
    }),
    { numRuns: runs(200) },
  )
  t.end()
})
