import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { Excerpt } from '../../../src/resolver/context/excerpt.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf, scope } from './build-from.ts'

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

const rows = createRowTokens(countTokens)

function excerptOf(entry: Parameters<typeof ranked>[1] = {}, lines = 100) {
  const file = new CodeFile(ranked('a.py', entry), 0, { text: numbered(lines), scopes: [], count: rows })
  return { excerpt: new Excerpt(file, { rows, countTokens }), file }
}

const runsOf = (excerpt: Excerpt): string =>
  excerpt
    .runs()
    .map(({ from, to, isHeader }) => `${from}-${to}${isHeader ? ' header' : ''}`)
    .join(', ')

test('lines that touch or overlap are one run, in order; one of headers is no evidence until code joins it', async t => {
  const { excerpt } = excerptOf()
  excerpt.show({ from: 20, to: 22 })
  excerpt.show({ from: 10, to: 12 })
  excerpt.show({ from: 30, to: 30 }, true)
  t.equal(runsOf(excerpt), '10-12, 20-22, 30-30 header')
  excerpt.show({ from: 14, to: 14 })
  excerpt.show({ from: 18, to: 18 })
  t.equal(runsOf(excerpt), '10-12, 14-14, 18-18, 20-22, 30-30 header', 'a line between them keeps them apart')
  excerpt.show({ from: 13, to: 13 })
  excerpt.show({ from: 19, to: 19 })
  t.equal(runsOf(excerpt), '10-14, 18-22, 30-30 header')
  excerpt.show({ from: 31, to: 31 }, true)
  excerpt.show({ from: 12, to: 20 }, true)
  t.equal(runsOf(excerpt), '10-22, 30-31 header')
  excerpt.show({ from: 29, to: 29 })
  t.equal(runsOf(excerpt), '10-22, 29-31')
  excerpt.show({ from: 40, to: 39 })
  t.equal(runsOf(excerpt), '10-22, 29-31', 'no lines')
  t.same(
    [9, 10, 22, 23, 28, 29, 31, 32].map(line => excerpt.isShown(line)),
    [false, true, true, false, false, true, true, false],
  )
  for (const [from, to, isAll] of [
    [10, 22, true],
    [9, 22, false],
    [10, 23, false],
    [22, 29, false],
    [29, 29, true],
    [50, 49, true],
    [50, 50, false],
  ] as const) {
    t.equal(excerpt.isAllShown({ from, to }), isAll, `${from}-${to}`)
  }
  excerpt.hideAll()
  t.equal(runsOf(excerpt), '')
  t.equal(excerpt.isShown(10), false)
})

test('the header lists six extracts, of more only from where to where', async t => {
  const { excerpt } = excerptOf()
  excerpt.show({ from: 1, to: 1 }, true)
  for (let at = 1; at <= 6; at++) excerpt.show({ from: 10 * at, to: 10 * at + 1 })
  const header = (lines: string): string => `=== File: a.py [${lines}] ===`
  t.equal(excerpt.header(), header('lines 10-11, 20-21, 30-31, 40-41, 50-51, 60-61'), 'headers of scopes are none')
  excerpt.show({ from: 70, to: 71 })
  t.equal(excerpt.header(), header('7 extracts of lines 10-71'))
  t.equal(excerpt.header({ index: 1, total: 4 }), header('chunk 2/4, 7 extracts of lines 10-71'))
})

test('the header names the lines of the trace that are shown, else why the file is', async t => {
  const { excerpt } = excerptOf({ highlightedLines: [12, 10, 30, 9, 13] })
  excerpt.show({ from: 10, to: 12 })
  t.equal(excerpt.header(), '=== File: a.py [lines 10-12] (stack trace lines: 10, 12) ===')
  for (const [reason, note] of [
    ['similar', ' (found by similarity search)'],
    ['lexical', ' (found by text search)'],
    ['frame', ''],
    ['import', ' (related: imports b.py)'],
  ] as const) {
    const { excerpt: other } = excerptOf({ reason: reason as 'similar', why: 'imports b.py' })
    other.show({ from: 1, to: 2 })
    t.equal(other.header(), `=== File: a.py [lines 1-2]${note} ===`, reason)
  }
})

test('tokens are those of the text as it is printed, of each run with the gap before it', async t => {
  const { excerpt } = excerptOf({ highlightedLines: [12, 51] })
  const printed = (end: string): number => countTokens(`${excerpt.header()}\n${excerpt.render().join('\n')}${end}`)
  const counted = (end: string): number => {
    const { header, runs } = excerpt.tokens(excerpt.header(), end)
    return runs.reduce((sum, tokens) => sum + tokens, header)
  }
  for (const [from, to] of [
    [10, 12],
    [50, 51],
    [98, 100],
    [30, 30],
  ] as const) {
    excerpt.show({ from, to })
    for (const end of ['', '\n\n', '']) t.equal(counted(end), printed(end), `${runsOf(excerpt)} ${JSON.stringify(end)}`)
  }
  t.equal(excerpt.tokens(excerpt.header(), '').runs.length, 4)
  t.equal(excerpt.boundOfTokens(), printed('\n\n') + 12)
})

test('showing lines is charged by what is not shown yet, a mark, and a run of its own', async t => {
  const { excerpt, file } = excerptOf({ highlightedLines: [30] })
  excerpt.show({ from: 10, to: 12 })
  const row = file.rowTokens(40)
  const charged = (from: number, to: number, enough = 1000): number => excerpt.tokensToShow({ from, to }, enough)
  t.equal(charged(40, 41), 2 * row + 12)
  t.equal(charged(13, 14), 2 * row, 'behind what is shown')
  t.equal(charged(8, 9), 2 * row, 'before it')
  t.equal(charged(11, 13), row, 'over its end')
  t.equal(charged(10, 12), 12)
  t.equal(charged(30, 30), file.rowTokens(30) + 4 + 12)
  t.equal(charged(40, 60, 0), 12, 'it is not counted on from where it is too much')
  const rough = file.roughTokens(40, 40, 4)
  t.equal(excerpt.leastTokens({ from: 40, to: 42 }), 3 * rough)
  t.equal(excerpt.leastTokens({ from: 12, to: 13 }), rough)
  t.equal(excerpt.leastTokens({ from: 10, to: 12 }), 0)
})

test('what is charged beside the rows goes by the name, and by why where no line of the trace says so', async t => {
  const tokens = (entry: Parameters<typeof ranked>[1]): number => excerptOf(entry).excerpt.frameTokens()
  t.equal(tokens({ why: '' }), 28)
  t.equal(tokens({ why: 'x'.repeat(10) }), 33)
  t.equal(tokens({ why: 'x'.repeat(10), highlightedLines: [1] }), 28)
  t.equal(tokens({ why: 'x'.repeat(1096) }), 576)
  t.equal(tokens({ why: 'x'.repeat(9999) }), 576)
})
