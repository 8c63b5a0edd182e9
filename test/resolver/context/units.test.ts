import { test } from 'tap'
import type { Scope } from '../../../src/core/outline.ts'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { unitsOf, type UnitSize } from '../../../src/resolver/context/units.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf, scope } from './build-from.ts'

test(
  'of a long file the failing function comes with the headers of its scopes, and … stands for what is ' + 'between',
  async t => {
    const scopes = [
      scope('Job', 10, 900, { kind: 'class' }),
      scope('first', 20, 60, { parent: 0 }),
      scope('process', 500, 515, { parent: 0 }),
    ]
    const { context, sources } = buildContext([ranked('job.py', { highlightedLines: [510] })], {
      reader: readerOf({ 'job.py': { text: numbered(1000), scopes } }),
      maxTokens: 300,
      countTokens,
    })
    t.match(context, /^=== File: job\.py \[lines .*\] \(stack trace lines: 510\) ===\n {6}10 \| line 10\n {7}…\n/)
    t.match(context, /\n {5}500 \| line 500\n/)
    t.match(context, /\n>>> {2}510 \| line 510\n/)
    const [source] = sources.filter(({ highlightedLines }) => highlightedLines.length > 0)
    t.match(source, { symbol: 'Job.process', highlightedLines: [510] })
    t.ok((source?.startLine ?? 0) <= 500 && (source?.endLine ?? 0) >= 515)
    t.notOk(
      sources.some(({ startLine }) => startLine === 10),
      'a header is no source',
    )
  },
)

const rows = createRowTokens(countTokens)
const WHOLE = { pieceLines: 12, wholeLines: 100_000 }

interface Given {
  scopes?: Scope[]
  marks?: number[]
  ranges?: Array<readonly [from: number, to: number]>
}

function unitsIn(lines: number, { scopes = [], marks = [], ranges = [] }: Given, size?: UnitSize) {
  const entry = {
    highlightedLines: marks,
    ranges: ranges.map(([startLine, endLine]) => ({ startLine, endLine, why: 'points' })),
  }
  return unitsOf(new CodeFile(ranked('a.py', entry), 0, { text: numbered(lines), scopes, count: rows }), size)
}

/** The units, as `from-to` with commas between; by default none is cut into pieces. */
const cut = (lines: number, given: Given = {}, size: UnitSize | undefined = WHOLE): string =>
  unitsIn(lines, given, size)
    .map(({ from, to }) => `${from}-${to}`)
    .join(', ')

test('a file is cut where definitions begin and end, but not for less than three lines', async t => {
  for (const [scopes, expected] of [
    [[scope('a', 11, 20)], '1-10, 11-20, 21-30'],
    [[scope('a', 11, 20, { leadLine: 9 })], '1-8, 9-20, 21-30'],
    [[scope('a', 5, 30), scope('b', 11, 20, { parent: 0 })], '1-4, 5-10, 11-20, 21-30'],
    [[scope('a', 21, 25), scope('b', 5, 10)], '1-4, 5-10, 11-20, 21-25, 26-30'],
    [[scope('a', 4, 20)], '1-3, 4-20, 21-30'],
    [[scope('a', 3, 20)], '1-20, 21-30'],
    [[scope('a', 1, 20)], '1-20, 21-30'],
    [[scope('a', 11, 12), scope('b', 13, 30)], '1-10, 11-30'],
    [[scope('a', 11, 13), scope('b', 14, 30)], '1-10, 11-13, 14-30'],
    [[scope('a', 11, 27)], '1-10, 11-27, 28-30'],
    [[scope('a', 11, 28)], '1-10, 11-30'],
    [[scope('a', 11, 29)], '1-10, 11-30'],
    [[scope('a', 11, 30)], '1-10, 11-30'],
    [[scope('a', 11, 40)], '1-10, 11-30'],
    [[scope('a', 28, 30)], '1-27, 28-30'],
    [[scope('a', 29, 30)], '1-30'],
    [[], '1-30'],
  ] as const) {
    t.equal(cut(30, { scopes: [...scopes] }), expected, expected)
  }
  t.same([cut(1), cut(2), cut(3)], ['1-1', '1-2', '1-3'])
})

test('of a file of more than 400 lines only its head, what is near the trace and what evidence points to is cut', async t => {
  t.equal(cut(400, { marks: [10], ranges: [[300, 310]] }), '1-400', 'a shorter one is cut whole')
  t.equal(cut(401, { ranges: [[200, 210]] }), '1-30, 200-210')
  t.equal(cut(2000), '1-400')
  t.equal(cut(2000, { marks: [1000] }), '1-30, 600-1400')
  t.equal(cut(2000, { marks: [1900, 1000] }), '1-30, 600-1400, 1500-2000')
  t.equal(cut(2000, { marks: [434] }), '1-30, 34-834')
  t.equal(cut(2000, { marks: [433] }), '1-833', 'two lines between are none')
  t.equal(cut(2000, { marks: [500], ranges: [[200, 210]] }), '1-30, 100-900', 'what lies in another')
  t.equal(cut(2000, { ranges: [[300, 900]] }), '1-30, 300-700')
  t.equal(cut(2000, { ranges: [[1990, 2500]] }), '1-30, 1990-2000')
  t.equal(cut(2000, { ranges: [[2100, 2500]] }), '1-30')
  const marks = Array.from({ length: 200 }, (_, at) => at + 1)
  t.equal(cut(3000, { marks: [...marks, 2000] }), '1-600', 'near to the first two hundred lines of the trace')
  t.equal(cut(3000, { marks: [...marks.slice(1), 2000] }), '1-600, 1600-2400')
})

test('a definition of more than 24 lines is cut into pieces of twelve, about', async t => {
  const pieces = (lines: number): string =>
    unitsIn(lines, {})
      .map(({ from, to }) => `${from}-${to}`)
      .join(', ')
  t.equal(pieces(24), '1-24')
  t.equal(pieces(25), '1-12, 13-25')
  t.equal(pieces(30), '1-10, 11-20, 21-30')
  t.equal(pieces(36), '1-12, 13-24, 25-36')
  t.equal(cut(10, {}, { pieceLines: 4, wholeLines: 9 }), '1-3, 4-6, 7-10')
})

test('the scopes of a unit are those around its middle, the innermost first', async t => {
  const scopes = [scope('A', 5, 30), scope('b', 11, 20, { parent: 0 })]
  t.same(
    unitsIn(30, { scopes }).map(({ chain }) => chain),
    [[], [0], [1, 0], [0]],
  )
})
