import { test } from 'tap'
import { cleanText, type CleanText } from '../../src/stack-trace/layout/clean.ts'
import { parseClean, parseStackTrace } from '../../src/stack-trace/parse.ts'
import { countedReads, growsTooFast } from '../helpers/counted.ts'
import { scaled, someOf } from '../helpers/property-runs.ts'
import { HOSTILE_SHAPES, LOG_SHAPES, ONE_LINE_SHAPES, shapedText } from '../helpers/log-shapes.ts'

const LENGTHS = { from: 8_192, to: 200_000 }
/** So long that work on each pair of lines would take minutes, where the whole takes less than a second. */
const HUGE = scaled(1 << 20)

/** How often lines are read while something is done with a text of a length, by its length. */
const readsOf =
  (work: (clean: CleanText) => unknown, piece: (at: number) => string) =>
  (length: number): number => {
    const clean = cleanText(shapedText(piece, length))
    const { items, reads } = countedReads(clean.lines)
    work({ ...clean, lines: items })
    return reads()
  }

for (const [kind, shapes] of [
  ['a log', LOG_SHAPES],
  ['lines that nearly begin something', HOSTILE_SHAPES],
] as const) {
  test(`four times the lines are read about four times as often: ${kind}`, async t => {
    for (const [name, piece] of someOf([...shapes])) t.notOk(growsTooFast(readsOf(parseClean, piece), LENGTHS), name)
  })
}

test('a reader that looks at all lines from each of them would be noticed', async t => {
  const quadratic = ({ lines }: CleanText): number =>
    lines.filter(line => lines.some(other => other.length > line.length)).length
  const reads = readsOf(quadratic, () => '    at f (/a.js:1:2) {\n')
  t.ok(growsTooFast(reads, { ...LENGTHS, to: LENGTHS.from }))
})

test('megabytes of any shape are cleaned and read', async t => {
  for (const [name, piece] of someOf([...LOG_SHAPES, ...HOSTILE_SHAPES, ...ONE_LINE_SHAPES])) {
    const { exceptions, frames } = parseStackTrace(shapedText(piece, HUGE))
    t.ok(exceptions.length <= 1_000 && frames.length <= 1_000, name)
  }
})

const BLANK = ' '.repeat(scaled(5_000_000))
const rows = (row: string): string => `${row}\n`.repeat(scaled(5_000))

/** An expression that looks for the end of a run from every place in it took minutes or hours for each. */
const RUNS = new Map([
  [
    'a report with a long blank in a failure',
    `<testsuite name="a"><testcase classname="x" name="y"><failure message="m" type="T">a${BLANK}b\n` +
      ' at x (a.js:1:2)</failure></testcase></testsuite>',
  ],
  [
    'an event with a long blank in its message',
    JSON.stringify({ level: 'error', message: `Error: a${BLANK}b\n    at x (/a/b.js:1:2)` }),
  ],
  ['lines drawn of box characters', rows(`┌${'─'.repeat(3_900)}`)],
  ['rows of a profile with many tabs', rows(`#\t0x1\ta+0x1${'\t'.repeat(3_900)}x`)],
])

for (const [what, text] of RUNS) {
  test(`${what} is read`, async t => {
    t.equal(parseStackTrace(text).exceptions.length, text.includes('failure') || text.includes('Error') ? 1 : 0)
  })
}
