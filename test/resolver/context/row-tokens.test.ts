import fc from 'fast-check'
import { test } from 'tap'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { rowBody, rowNumber } from '../../../src/resolver/context/line-text.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { runs } from '../../helpers/property-runs.ts'

const WORDS = [
  'foo',
  'Bar',
  'HTTPServer',
  "don't",
  "'s",
  '_x',
  '@app',
  '//',
  '/*',
  '*/',
  '{',
  '}',
  '});',
  '""',
  '123',
  '4567',
  '0',
  ' ',
  '  ',
  '\t',
  '        ',
  '=>',
  '…',
  'é',
  '漢字',
  '́',
  '\u202E',
  '\u0007',
  '<|endoftext|>',
  '🙂',
  '#',
  '-',
  "'",
  'x'.repeat(600),
]

test('tokens of rows are those of the text that they make', async t => {
  const rows = createRowTokens(countTokens)
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 7 }).map(words => words.join('')) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map(text => text.replaceAll('\n', ' ')) },
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, fc.integer({ min: 1, max: 12_345_678 }), fc.boolean()), { minLength: 1, maxLength: 12 }),
      lines => {
        const text = lines
          .map(([line, number, isMarked]) => `${rowNumber(number, isMarked, 5)}${rowBody(line)}\n`)
          .join('')
        const sum = lines.reduce(
          (sum, [line, number, isMarked]) => sum + rows.number(number, isMarked) + rows.body(line),
          0,
        )
        if (sum !== countTokens(text)) {
          throw new Error(`${sum} instead of ${countTokens(text)} for ${JSON.stringify(text)}`)
        }
      },
    ),
    { numRuns: runs(500) },
  )
  t.pass('500 texts were counted')
})

test('tokens of a header are those of its text, whatever numbers are in it', async t => {
  const rows = createRowTokens(countTokens)
  const part = fc.oneof(
    fc.constantFrom(
      ...WORDS,
      '[lines ',
      ', ',
      '] (stack trace lines: ',
      ') ===',
      '=== File: ',
      'src/a2.py',
      '1,000',
      "7's",
    ),
    fc.integer({ min: 0, max: 12_345_678 }).map(String),
  )
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 12 }).map(parts => parts.join('')),
      header => {
        if (rows.header(header) !== countTokens(`${header}\n`)) {
          throw new Error(
            `${rows.header(header)} instead of ${countTokens(`${header}\n`)} for ${JSON.stringify(header)}`,
          )
        }
      },
    ),
    { numRuns: runs(2000) },
  )
  for (let number = 0; number < 1000; number++) {
    if (countTokens(String(number)) !== 1) t.fail(`${number} is more than a token`)
  }
  t.pass('2000 headers were counted')
})

test('a line is counted once, and the lines of a text are found once', async t => {
  let counted = 0
  const rows = createRowTokens(text => {
    counted++
    return text.length
  })
  const table = rows.rowsOf('a\nb\n')
  t.same([...table.starts], [0, 2])
  t.equal(rows.rowsOf('a\nb\n'), table)
  t.equal(rows.text('…\n'), 2)
  rows.text('…\n')
  t.equal(counted, 1)
})

test('every line of a text of very many is found, and what is kept of it is little', async t => {
  const rows = createRowTokens(countTokens)
  for (const end of ['', '\n']) {
    const lines = Array.from({ length: 50_001 }, (_, index) => (index % 3 === 0 ? '' : `line ${index + 1}`))
    lines[50_000] = 'the last'
    const text = lines.join('\n') + end
    const { starts, tokens } = rows.rowsOf(text)
    t.ok(starts.byteLength + tokens.byteLength < 200_000)
    const file = new CodeFile(
      { repository: 'shop', path: 'a.py', score: 1, reason: 'frame', why: '', ranges: [], highlightedLines: [] },
      0,
      { text, scopes: [], count: rows },
    )
    t.same(
      lines.map((_, index) => file.line(index + 1)),
      lines,
    )
    for (const line of [1, 2, 16_385, 50_000, 50_001, 50_001]) {
      t.equal(file.rowTokens(line), rows.number(line, false) + rows.body(lines[line - 1] ?? ''))
    }
  }
})
