import { test } from 'tap'
import fc from 'fast-check'
import { LexicalSegmentWriter } from '../../../src/vecstore/lexical/lexical-segment-writer.ts'
import { LexicalSegment } from '../../../src/vecstore/lexical/lexical-segment.ts'
import { LiteralFiles } from '../../../src/vecstore/lexical/literal-files.ts'

/** One chunk a file, in segments of the given sizes. */
function literalFiles(
  texts: readonly string[],
  { sizes = [texts.length], gone = [] }: { sizes?: number[]; gone?: number[] } = {},
): LiteralFiles {
  let next = 0
  const segments = sizes.map(size => {
    const writer = new LexicalSegmentWriter()
    for (let i = 0; i < size; i++, next++) {
      writer.add({ chunkId: next, fileId: next, path: `f${next}`, text: texts[next] ?? '' })
    }
    return new LexicalSegment(writer.toBytes())
  })
  return new LiteralFiles(segments, texts.length, chunkId => (gone.includes(chunkId) ? null : chunkId))
}

const TEXTS = ['const total = sumOf(prices, 1)', 'sumOf (prices)', 'checksumOfAll = 3', 'nothing here']

test('identifiers inside of a text are whole ones, those at its ends may go on', async t => {
  const files = literalFiles(TEXTS, { sizes: [2, 2] })
  t.same(files.holding('sumOf'), [0, 1, 2])
  t.same(files.holding(' sumOf('), [0, 1])
  t.same(files.holding('(prices, '), [0, 1], 'what has the words may still not hold the text')
  t.same(files.holding('umOf(pri'), [0, 1])
  t.same(files.holding('nowhere'), [])
  t.same(files.holding('=>'), null)
  t.same(files.holding('x'), null)
})

test('files whose chunks are gone are not found', async t => {
  t.same(literalFiles(TEXTS, { gone: [0] }).holding('sumOf'), [1, 2])
})

test('every file that holds a text is among those found', async () => {
  const word = fc.constantFrom(
    'foo',
    'fooBar',
    'bar_baz',
    'x',
    'é',
    'İstanbul',
    'naïve',
    '(',
    ', ',
    ' ',
    '\n',
    '.',
    '9z',
    'Foo',
  )
  fc.assert(
    fc.property(
      fc.array(
        fc.array(word, { minLength: 1, maxLength: 12 }).map(words => words.join('')),
        { minLength: 1, maxLength: 6 },
      ),
      fc.nat(),
      fc.nat(),
      (texts, at, length) => {
        const source = texts[0] ?? ''
        const start = at % source.length
        const part = source.slice(start, start + 1 + (length % source.length))
        const found = literalFiles(texts).holding(part)
        return found === null || texts.every((text, i) => !text.includes(part) || found.includes(i))
      },
    ),
  )
})
