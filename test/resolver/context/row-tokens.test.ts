import fc from 'fast-check'
import { test } from 'tap'
import { rowBody, rowNumber } from '../../../src/resolver/context/line-text.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { countTokens } from '../../../src/resolver/tokens.ts'

const WORDS = ['foo', 'Bar', 'HTTPServer', "don't", "'s", '_x', '@app', '//', '/*', '*/', '{', '}', '});', '""', '123', '4567', '0', ' ', '  ', '\t', '        ', '=>', '…', 'é', '漢字', '́', '\u202E', '\u0007', '<|endoftext|>', '🙂', '#', '-', "'", 'x'.repeat(600)]

test('tokens of rows are those of the text that they make, with the tokens of bare lines known or not', async (t) => {
  const rows = createRowTokens(countTokens)
  const line = fc.oneof({ weight: 4, arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 7 }).map(words => words.join('')) }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map(text => text.replaceAll('\n', ' ')) })
  fc.assert(fc.property(fc.array(fc.tuple(line, fc.integer({ min: 1, max: 12_345_678 }), fc.boolean()), { minLength: 1, maxLength: 12 }), fc.boolean(), (lines, isKnown) => {
    const text = lines.map(([line, number, isMarked]) => `${rowNumber(number, isMarked, 5)}${rowBody(line)}\n`).join('')
    const sum = lines.reduce((sum, [line, number, isMarked]) => sum + rows.number(number, isMarked) + rows.body(line, isKnown ? countTokens(`${line}\n`) : null), 0)
    if (sum !== countTokens(text)) throw new Error(`${sum} instead of ${countTokens(text)} for ${JSON.stringify(text)}`)
  }), { numRuns: 500 })
  t.pass('500 texts were counted')
})
