import { test } from 'tap'
import type { Scope } from '../../../src/core/outline.ts'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { Excerpt } from '../../../src/resolver/context/excerpt.ts'
import { fill, type Spending } from '../../../src/resolver/context/fill.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf, scope } from './build-from.ts'

test('of files that likelier ones leave no room, each comes with an extract while some is left', async t => {
  const files = Array.from({ length: 6 }, (_, index) =>
    ranked(`f${index}.py`, {
      score: index === 0 ? 0.9 : 0.01,
      reason: 'lexical',
      why: 'shares words',
      ranges: [{ startLine: 1, endLine: 300, why: 'shares words' }],
    }),
  )
  const texts = Object.fromEntries(
    files.map(({ path }) => [
      path,
      { text: numbered(300), scopes: Array.from({ length: 50 }, (_, at) => scope(`s${at}`, at * 6 + 1, at * 6 + 6)) },
    ]),
  )
  const { sources } = buildContext(files, { reader: readerOf(texts), maxTokens: 2000, countTokens })
  t.ok(new Set(sources.map(({ path }) => path)).size >= 3)
  t.ok(
    sources.filter(({ path }) => path === 'f0.py').reduce((sum, { tokens }) => sum + tokens, 0) > 1200,
    'most of it shows the likeliest',
  )
})

test('lines of the trace in other files come before more of the first file', async t => {
  const files = ['a.py', 'b.py', 'c.py'].map((path, index) =>
    ranked(path, { highlightedLines: [200], score: [0.8, 0.1, 0.05][index] ?? 0 }),
  )
  const { sources } = buildContext(files, {
    reader: readerOf({
      'a.py': { text: numbered(400) },
      'b.py': { text: numbered(400) },
      'c.py': { text: numbered(400) },
    }),
    maxTokens: 800,
    countTokens,
  })
  t.same(
    sources.filter(({ highlightedLines }) => highlightedLines.includes(200)).map(({ path }) => path),
    ['a.py', 'b.py', 'c.py'],
  )
})

test('a thousand frames in one file, and budgets from one token to 150,000, are answered', async t => {
  const files = [
    ranked('big.py', {
      highlightedLines: Array.from({ length: 1000 }, (_, index) => 5000 - index * 4),
      ranges: Array.from({ length: 1000 }, (_, index) => ({
        startLine: Math.max(1, 4998 - index * 4),
        endLine: 5002 - index * 4,
        why: 'frame',
      })),
    }),
  ]
  const reader = readerOf({ 'big.py': { text: numbered(5000) } })
  for (const maxTokens of [1, 30, 60, 150_000]) {
    const { context, contextTokens, sources } = buildContext(files, { reader, maxTokens, countTokens })
    t.ok(contextTokens <= maxTokens && contextTokens === countTokens(context))
    if (maxTokens === 1) t.same(sources, [])
    if (maxTokens === 60) t.match(sources, [{ highlightedLines: [5000] }])
  }
})

interface Given {
  path: string
  lines?: number
  marks?: number[]
  score?: number
  scopes?: Scope[]
  /** `from-to`, with the value of each. */
  units?: Array<readonly [from: number, to: number, value: number, chain?: readonly number[]]>
}

const SPENDING: Spending = {
  fileBonus: 0,
  unitTokens: 0,
  failingShare: 0,
  marksShare: 0,
  filesTokens: 0,
  leastWorth: 0.0001,
}

/** What is shown of each file, as `from-to` with commas between. */
function filled(given: readonly Given[], maxTokens: number, spending: Partial<Spending> = {}): Record<string, string> {
  const count = createRowTokens(countTokens)
  const files = given.map(({ path, lines = 100, marks = [], score = 0.5, scopes = [], units = [] }, rank) => {
    const file = new CodeFile(ranked(path, { score, highlightedLines: marks }), rank, {
      text: numbered(lines),
      scopes,
      count,
    })
    return {
      file,
      units: units.map(([from, to, , chain = []]) => ({ file, from, to, chain })),
      values: Float64Array.from(units, ([, , value]) => value),
    }
  })
  const excerpts = new Map(files.map(({ file }) => [file, new Excerpt(file, { rows: count, countTokens })]))
  fill(excerpts, files, maxTokens, { ...SPENDING, ...spending })
  return Object.fromEntries(
    [...excerpts].map(
      ([
        {
          ranked: { path },
        },
        excerpt,
      ]) => [
        path,
        excerpt
          .runs()
          .map(({ from, to }) => `${from}-${to}`)
          .join(', '),
      ],
    ),
  )
}

const PLENTY = 10_000

test('the failing function is shown first, from the failing line outwards, up to its share', async t => {
  const scopes = [scope('pay', 21, 60)]
  const units = [1, 11, 21, 31, 41, 51, 61].map(from => [from, from + 9, 0, from > 20 && from < 61 ? [0] : []] as const)
  const failing = (failingShare: number, marks = [45]) =>
    filled([{ path: 'a.py', marks, scopes, units: [...units] }], PLENTY, { failingShare })['a.py']
  t.equal(failing(0), '21-21, 41-50', 'the unit of the failing line and the header of its function, whatever the share')
  t.equal(failing(0.02), '21-21, 31-50', 'the nearest next')
  t.equal(failing(0.03), '21-21, 31-60')
  t.equal(failing(1), '21-60', 'no more than the function')
  t.equal(failing(1, [64]), '61-70', 'a line of no function comes with its unit alone')
  t.equal(failing(1, []), '', 'no line failed')
})

test('where the unit of a failing line does not fit, or it has none, a few lines around it are shown', async t => {
  const unit = [1, 90, 0] as const
  const around = (maxTokens: number, mark: number, units = [unit]) =>
    filled([{ path: 'a.py', marks: [mark], units }], maxTokens)['a.py']
  t.equal(around(150, 45), '43-47')
  t.equal(around(75, 45), '45-45', 'the line alone where no more fits')
  t.equal(around(40, 45), '', 'nothing where it does not')
  t.equal(around(PLENTY, 95), '93-97')
  t.equal(around(PLENTY, 100), '98-100', 'up to the end of the file')
  t.equal(around(PLENTY, 1, []), '1-3', 'from its beginning')
  t.equal(around(PLENTY, 90), '1-90')
  t.equal(around(PLENTY, 1), '1-90')
})

test('lines of the trace are shown with two around each, as many as their share and sixty of them', async t => {
  const marks = Array.from({ length: 70 }, (_, i) => 10 * i + 10)
  const shown = (marksShare: number, maxTokens = 50_000): string[] =>
    (filled([{ path: 'a.py' }, { path: 'b.py', lines: 1000, marks }], maxTokens, { marksShare })['b.py'] ?? '').split(
      ', ',
    )
  t.same(shown(0), [''])
  t.same([shown(1).length, shown(1)[0], shown(1).at(-1)], [60, '8-12', '598-602'])
  t.ok(shown(0.01).length < 30 && shown(0.01).length > 5)
  t.same(shown(0.000001), ['8-12'], 'one is begun while nothing is spent')
})

test('what is worth most per token comes first, until what is worth too little', async t => {
  const units = [
    [1, 10, 0.1],
    [21, 30, 0.9],
    [41, 50, 0.5],
    [61, 80, 0.9],
  ] as const
  const shown = (maxTokens: number, spending: Partial<Spending> = {}) =>
    filled([{ path: 'a.py', units: [...units] }], maxTokens, spending)['a.py']
  t.equal(shown(180), '21-30')
  t.equal(shown(230), '21-30, 41-50', 'half as long for more than half the value')
  t.equal(shown(PLENTY), '1-10, 21-30, 41-50, 61-80')
  t.equal(shown(PLENTY, { leastWorth: 0.004 }), '21-30, 41-50, 61-80')
  t.equal(shown(PLENTY, { leastWorth: 1 }), '')
  t.equal(shown(340), '1-10, 21-30, 41-50')
  const evenly = { unitTokens: 10_000, leastWorth: 0 }
  t.equal(shown(340, evenly), '21-30, 61-80', 'where each unit is charged much its length hardly counts')
})

test('the best unit of a file also counts as finding it, as much as the file is likely', async t => {
  const file = (path: string, score: number) => ({
    path,
    score,
    units: [
      [1, 10, 0.1],
      [31, 40, 0.2],
    ] as Given['units'],
  })
  const shown = (fileBonus: number) => filled([file('a.py', 0.1), file('b.py', 0.9)], 190, { fileBonus })
  t.same(shown(0), { 'a.py': '31-40', 'b.py': '' }, 'of equal ones that of the first file')
  t.same(shown(1), { 'a.py': '', 'b.py': '31-40' })
})

test('tokens that are kept for files are spent on one unit of each that nothing is shown of', async t => {
  const units = (value: number): Given['units'] => [1, 21, 41, 61, 81].map(from => [from, from + 9, value] as const)
  const given = [
    { path: 'a.py', units: units(0.9) },
    { path: 'b.py', units: units(0.1) },
    { path: 'c.py', units: units(0.00001) },
  ]
  t.same(filled(given, 450, { filesTokens: 0 }), { 'a.py': '1-10, 21-30, 41-50, 61-70', 'b.py': '', 'c.py': '' })
  t.same(
    filled(given, 450, { filesTokens: 1000 }),
    { 'a.py': '1-10, 21-30, 41-50', 'b.py': '1-10', 'c.py': '' },
    'a fifth at most; of what is worth nothing, nothing',
  )
})

test('gaps of three lines are closed, those of four are not', async t => {
  const shown = (gap: number) =>
    filled(
      [
        {
          path: 'a.py',
          units: [
            [1, 10, 0.9],
            [11 + gap, 30, 0.9],
          ],
        },
      ],
      PLENTY,
    )['a.py']
  t.equal(shown(1), '1-30')
  t.equal(shown(3), '1-30')
  t.equal(shown(4), '1-10, 15-30')
})
