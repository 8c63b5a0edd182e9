import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { readTrace, traceNames } from '../helpers/trace-fixtures.ts'
import { runs, someOf } from '../helpers/property-runs.ts'

const LINES = [...new Set(traceNames().flatMap(name => readTrace(name).split('\n')))]

test('lines of every runtime in any order and number are read without a throw, and keep the rules of frames', async t => {
  const line = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...LINES) },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '\t', '"}', '#', ':1:', '():') },
  )
  const cut = fc.tuple(line, fc.nat(200)).map(([text, length]) => text.slice(0, length))
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 4, arbitrary: line }, { weight: 1, arbitrary: cut }), { maxLength: 60 }),
      lines => {
        const { exceptions, frames, framesTotal } = parseStackTrace(lines.join('\n'))
        for (const { exception, line: number, column, repeat, raw } of frames) {
          if (exceptions[exception] === undefined || repeat < 1 || raw === '') {
            throw new Error('a frame has an exception, a count and a text')
          }
          if (
            (number !== null && !Number.isSafeInteger(number)) ||
            (column !== null && !Number.isSafeInteger(column))
          ) {
            throw new Error(`a place is a number or null: ${raw}`)
          }
        }
        if (framesTotal < frames.length) throw new Error('no frame is invented')
      },
    ),
    { numRuns: runs(400) },
  )
  t.pass('400 texts were read')
})

test('each line alone, many times over, is read without a throw', async t => {
  for (const line of someOf(LINES)) parseStackTrace(`${line}\n`.repeat(20))
  t.pass('all were read')
})
