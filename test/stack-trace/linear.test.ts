import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { someOf } from '../helpers/property-runs.ts'
import { HOSTILE_SHAPES, LOG_SHAPES, ONE_LINE_SHAPES, shapedText } from '../helpers/log-shapes.ts'

const CHARS = 32_768
const TIMES = 4
const MAX_RATIO = 8 // linear is 4, quadratic 16
const MAX_ROUNDS = 12
const HOPELESS_MS = 1000 // for 128 KiB
const LONG_LINE = 3000 // within what readers see of a line
const MAX_LONG_LINE_RATIO = 12 // the slowest was seen at 4; two quantifiers that overlap at 40
const QUICK_MS = 6 // below it the clock and the compiler are measured

/** Processor time of this process only: other work on the machine does not count as much. */
function cpuMs(text: string): number {
  const before = process.cpuUsage()
  parseStackTrace(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** How many times as long the longer text takes: the best of some rounds of each, since a pause only ever adds. */
function growth(piece: (at: number) => string): { ratio: number; shortMs: number; longMs: number } {
  const short = shapedText(piece, CHARS)
  const long = shapedText(piece, CHARS * TIMES)
  let shortMs = Infinity
  let longMs = Infinity
  let ratio = Infinity
  for (let round = 0; round < MAX_ROUNDS && ratio >= MAX_RATIO && (round < 2 || longMs < HOPELESS_MS); round++) {
    shortMs = Math.min(shortMs, cpuMs(short))
    longMs = Math.min(longMs, cpuMs(long))
    ratio = longMs / Math.max(shortMs, QUICK_MS)
  }
  return { ratio, shortMs, longMs }
}

for (const [kind, shapes] of [
  ['a log', LOG_SHAPES],
  ['lines that nearly begin something', HOSTILE_SHAPES],
  ['one line', ONE_LINE_SHAPES],
] as const) {
  test(`the time that a text takes grows with its length only: ${kind}`, async t => {
    for (const [name, piece] of someOf([...shapes])) {
      const { ratio, shortMs, longMs } = growth(piece)
      t.ok(
        ratio < MAX_RATIO,
        `${name}: ${shortMs.toFixed(0)} ms, and ${longMs.toFixed(0)} ms for ${TIMES} times the text`,
      )
    }
  })
}

test('a long line costs no reader more than the same text in short lines', async t => {
  const chars = 4 * CHARS * TIMES
  const usual = [...LOG_SHAPES.values()].slice(0, 1).map(piece => shapedText(piece, chars))
  const best = (text: string, enough: number): number => {
    let ms = Infinity
    for (let round = 0; round < 4 && ms > enough; round++) ms = Math.min(ms, cpuMs(text))
    return ms
  }
  const usualMs = Math.max(QUICK_MS, ...usual.map(text => best(text, 0)))
  for (const [name, piece] of someOf([...ONE_LINE_SHAPES])) {
    const line = shapedText(piece, LONG_LINE)
    const ms = best(
      shapedText(() => `${line}\n`, chars),
      usualMs * MAX_LONG_LINE_RATIO,
    )
    t.ok(
      ms < usualMs * MAX_LONG_LINE_RATIO,
      `lines of ${name}: ${ms.toFixed(0)} ms, a log as long ${usualMs.toFixed(0)} ms`,
    )
  }
})

test('a reader that looks at all lines from each of them would be noticed', async t => {
  const quadratic = (text: string): number => {
    const lines = text.split('\n')
    const before = process.cpuUsage()
    let sum = 0
    for (const line of lines) for (const other of lines) if (line.length === other.length) sum++
    t.ok(sum > 0)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const text = (chars: number): string => shapedText(() => '    at f (/a.js:1:2) {\n', chars)
  quadratic(text(CHARS)) // compiled before it is measured
  const [short, long] = [quadratic(text(2 * CHARS)), quadratic(text(2 * CHARS * TIMES))]
  t.ok(long / Math.max(short, QUICK_MS) > MAX_RATIO)
})
