import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'tap'
import { splitLines } from '../../../src/core/source-text.ts'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { createRowCounter, indexedCounts } from '../../../src/resolver/context/row-counts.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { countAscii, countTokens } from '../../../src/tokens/o200k.ts'
import { runs } from '../../helpers/property-runs.ts'

const countRows = createRowCounter({ countTokens, countAscii })
const PIECES = [
  'foo',
  'Bar',
  "don't",
  '_x',
  '//',
  '});',
  '123',
  '4567',
  ' ',
  '  ',
  '\t',
  '…',
  'é',
  '漢字',
  '\u202E',
  '\u0007',
  '\u007f',
  '\u0085',
  '\uFEFF',
  '\ud800',
  '\r',
  '<|endoftext|>',
  '🙂',
  'x'.repeat(499),
  'y'.repeat(500),
  'z'.repeat(501),
  'é'.repeat(300),
  ' '.repeat(600),
]
const anyText = fc
  .array(
    fc.oneof(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map(pieces => pieces.join('')),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map(lines => lines.join('\n'))

test('the count of a line with the index is that of its row in a context', async t => {
  const rows = createRowTokens(countTokens)
  fc.assert(
    fc.property(anyText, text => {
      const lines = splitLines(text)
      const counts = indexedCounts(countRows(text), lines.length)
      for (const [at, line] of lines.entries()) {
        const count = rows.body(line)
        if (counts?.[at] !== (count > 255 ? 0 : count)) {
          throw new Error(`${counts?.[at] ?? 'no count'} instead of ${count} for ${JSON.stringify(line)}`)
        }
      }
    }),
    { numRuns: runs(1_000) },
  )
  t.pass('1000 texts were counted')
})

test('a row of more tokens than a byte holds is left to be counted when it is shown', async t => {
  t.same([...countRows('漢字仮名'.repeat(120))].slice(1), [0])
})

test('what the index says of a text is taken as it is, and a line that it does not say is counted', async t => {
  let counted = 0
  const rows = createRowTokens(text => {
    counted++
    return text.length
  })
  const text = 'one\ntwo\nthree\n'
  const file = new CodeFile(
    { repository: 'shop', path: 'a.py', score: 1, reason: 'frame', why: '', ranges: [], highlightedLines: [] },
    0,
    { text, scopes: [], count: rows, counted: () => Uint8Array.of(1, 7, 0, 9) },
  )
  t.same(
    [1, 2, 3].map(line => file.rowTokens(line) - rows.number(line, false)),
    [7, ' | two\n'.length, 9],
  )
  t.equal(counted, 2, 'a number and a line')
})

test('counts of another rule, or of another text, are not used', async t => {
  t.equal(indexedCounts(Uint8Array.of(2, 7), 1), null)
  t.equal(indexedCounts(Uint8Array.of(0, 7), 1), null)
  t.equal(indexedCounts(Uint8Array.of(1, 7, 7), 1), null)
  t.equal(indexedCounts(new Uint8Array(), 0), null)
  t.equal(indexedCounts(null, 1), null)
})

test('the version of the rule grows when it counts otherwise', async t => {
  const text = PIECES.map(
    (piece, at) => `${'  '.repeat(at % 5)}${piece} = ${PIECES[(at * 7) % PIECES.length] ?? ''};  `,
  ).join('\n')
  t.equal(
    createHash('sha256').update(countRows(text)).digest('hex').slice(0, 16),
    'bd74461954488810',
    'indexes hold counts: a new rule needs a new ROWS_VERSION, and then this test a new hash',
  )
})
