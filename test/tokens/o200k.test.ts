import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { countTokens as countByLibrary, encode } from 'gpt-tokenizer/encoding/o200k_base'
import { test } from 'tap'
import { countAscii, countTokens } from '../../src/tokens/o200k.ts'
import { runs } from '../helpers/property-runs.ts'

const PLAIN_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
const byLibrary = (text: string): number => countByLibrary(text, PLAIN_TEXT)

const PIECES = [
  'foo',
  'Bar',
  'HTTPServer',
  'Zz',
  'A',
  'z',
  '_x',
  '@app',
  "don't",
  "'s",
  "'LL",
  "'Re",
  "'v",
  "'",
  '"',
  '<|endoftext|>',
  '123',
  '4567',
  '0',
  '１２',
  'Ⅷ',
  ' ',
  '  ',
  '        ',
  '\t',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  '\v',
  '\f',
  '\u00a0',
  '\u3000',
  '\u2028',
  '/',
  '//',
  '\n/',
  '/*',
  '*/',
  '{',
  '});',
  '=>',
  '--------',
  '…',
  'é',
  'Σ',
  'ß',
  'ǅ',
  'ʰ',
  'ﬀ',
  '́',
  '漢字',
  '한국',
  'עברית',
  '🙂',
  '👩‍👩‍👧',
  '\u202E',
  '\u200b',
  '\u0000',
  '\u0007',
  '\u001c',
  '\u007f',
  '\ud800',
  'x'.repeat(70),
  'ab'.repeat(40),
  '='.repeat(90),
  ' '.repeat(130),
]

/**
 * The library takes U+FEFF as white space and as no bytes, and U+0085 as no white space: neither is so in the encoding.
 */
const hasOddSpace = (text: string): boolean => /[\u0085\uFEFF]/.test(text)

test('a text has as many tokens as the library finds', async t => {
  const text = fc
    .oneof(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map(pieces => pieces.join('')),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: 'binary-ascii', maxLength: 60 }),
      fc.stringMatching(/^[a-z]{1,80}$/),
    )
    .filter(text => !hasOddSpace(text))
  fc.assert(
    fc.property(text, text => {
      if (countTokens(text) !== byLibrary(text)) {
        throw new Error(`${countTokens(text)} instead of ${byLibrary(text)} for ${JSON.stringify(text)}`)
      }
    }),
    { numRuns: runs(5_000) },
  )
  t.pass('5000 texts were counted')
})

test('code and prose have as many tokens as the library finds', async t => {
  for (const path of [import.meta.filename, 'package-lock.json', 'README.md', 'src/resolver/context/excerpt.ts']) {
    const text = readFileSync(path, 'utf8')
    t.equal(countTokens(text), byLibrary(text), path)
    for (const line of text.split('\n').slice(0, 2_000)) {
      if (countTokens(line) !== byLibrary(line)) t.fail(JSON.stringify(line))
    }
  }
})

test('a long word of letters is cut into its tokens', async t => {
  for (const text of ['z'.repeat(5_000), 'qxj'.repeat(500), 'é'.repeat(3_000)]) {
    t.equal(countTokens(text), byLibrary(text))
  }
})

test('a word as long as a file is counted at once, to within some hundredths', async t => {
  const word = readFileSync('package-lock.json', 'utf8')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .slice(0, 9_000)
  const exact = byLibrary(word)
  t.ok(countTokens(word) >= exact && countTokens(word) < exact * 1.03, `${countTokens(word)} of ${exact}`)
  t.ok(countTokens('a'.repeat(500_000)) > 50_000, 'as one word it takes minutes, more than a test may')
})

test('the mark of byte order is one token, as OpenAI counts it', async t => {
  t.equal(countTokens('\uFEFF'), 1)
  t.equal(countTokens('\uFEFFusing'), 1)
  t.equal(encode('\uFEFF').length, 2, 'where the library has its first two bytes alone')
})

test('a part of a text in ASCII is counted where it stands', async t => {
  const bytes = new TextEncoder().encode("xx don't\n yy")
  t.equal(countAscii(bytes, 2, 9), countTokens(" don't\n"))
  t.equal(countAscii(bytes, 3, 3), 0)
})
