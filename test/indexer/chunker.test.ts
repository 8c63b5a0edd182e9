import { test } from 'tap'
import fc from 'fast-check'
import { lineStarts } from '../../src/core/source-text.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'

const chunker = createLineChunker()
const linesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => i % 7 === 0 ? '' : `line ${i + 1}`)

test('a file of up to 500 lines is one chunk', async (t) => {
  t.same(chunker.chunk(linesOf(500).join('\n') + '\n', 'python').map(({ startLine, endLine }) => [startLine, endLine]), [[1, 500]])
  t.same(chunker.chunk('x', 'python'), [{ startLine: 1, endLine: 1, startOffset: 0, endOffset: 1 }])
})

test('a longer file is cut into windows of 500 lines that share 50', async (t) => {
  const ranges = chunker.chunk(linesOf(1200).join('\n') + '\n', 'python')
  t.same(ranges.map(({ startLine, endLine }) => [startLine, endLine]), [[1, 500], [451, 950], [901, 1200]])
})

test('a window that reaches the end is the last one', async (t) => {
  t.same(chunker.chunk(linesOf(950).join('\n'), 'python').map(({ endLine }) => endLine), [500, 950])
  t.same(chunker.chunk(linesOf(951).join('\n'), 'python').map(({ startLine, endLine }) => [startLine, endLine]), [[1, 500], [451, 950], [901, 951]])
})

test('an empty file has no chunk, and blank lines are lines', async (t) => {
  t.same(chunker.chunk('', 'python'), [])
  t.same(chunker.chunk('\n\n', 'python'), [{ startLine: 1, endLine: 2, startOffset: 0, endOffset: 2 }])
})

test('every line is covered, overlaps are exact, and the text of a range is its lines', async (t) => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 2_600 }), fc.boolean(), (count, endsWithNewline) => {
    const lines = linesOf(count).map(line => `${line}\n`)
    if (!endsWithNewline) lines.push('end')
    const text = lines.join('')
    const ranges = chunker.chunk(text, 'python')
    return ranges[0]?.startLine === 1 && ranges.at(-1)?.endLine === lines.length &&
      ranges.every((range, i) => text.slice(range.startOffset, range.endOffset) === lines.slice(range.startLine - 1, range.endLine).join('') &&
        lineStarts(text.slice(range.startOffset, range.endOffset)).length === range.endLine - range.startLine + 1 &&
        (i === ranges.length - 1 || (range.endLine - range.startLine === 499 && ranges[i + 1]?.startLine === range.endLine - 49)))
  }))
  t.pass()
})
