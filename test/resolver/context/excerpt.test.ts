import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { ranked, readerOf, scope } from './build-from.ts'

test('numbers are right-aligned, lines of the trace marked, and a short file is shown whole', async t => {
  const text =
    'import os\n\ndef process():\n    data = load()\n    result = data.process()\n    return result\n\n# end\n#\n#\n'
  const { context, sources, dropped } = buildContext(
    [ranked('utils.py', { highlightedLines: [5], ranges: [{ startLine: 3, endLine: 6, why: 'failing frame' }] })],
    { reader: readerOf({ 'utils.py': { text, scopes: [scope('process', 3, 6)] } }), maxTokens: 1000, countTokens },
  )
  t.equal(
    context,
    [
      '=== File: utils.py [lines 1-10] (stack trace lines: 5) ===',
      '      1 | import os',
      '      2 |',
      '      3 | def process():',
      '      4 |     data = load()',
      '>>>   5 |     result = data.process()',
      '      6 |     return result',
      '      7 |',
      '      8 | # end',
      '      9 | #',
      '     10 | #',
    ].join('\n'),
  )
  t.match(sources, [
    {
      path: 'utils.py',
      startLine: 1,
      endLine: 10,
      symbol: 'process',
      chunkIndex: null,
      totalChunks: null,
      highlightedLines: [5],
      reason: 'frame',
      why: 'failing frame',
      score: 1,
    },
  ])
  t.same(dropped, [])
})

test('of more than twelve lines of the trace the header counts the others', async t => {
  const text = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('')
  const headerWith = (marks: number): string | undefined => {
    const highlightedLines = Array.from({ length: marks }, (_, i) => i + 1)
    const file = ranked('a.py', { highlightedLines, ranges: [{ startLine: 1, endLine: 20, why: 'failing frame' }] })
    const reader = readerOf({ 'a.py': { text, scopes: [] } })
    return buildContext([file], { reader, maxTokens: 1000, countTokens }).context.split('\n')[0]
  }
  t.match(headerWith(12), /: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12\)/)
  t.match(headerWith(13), /, 11, 12 and 1 more\)/)
  t.match(headerWith(15), /, 11, 12 and 3 more\)/)
})
