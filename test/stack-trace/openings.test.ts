import fc from 'fast-check'
import { test } from 'tap'
import { cleanText, type CleanText } from '../../src/stack-trace/layout/clean.ts'
import { findReaders } from '../../src/stack-trace/openings.ts'
import { READERS } from '../../src/stack-trace/readers/readers.ts'
import { HOSTILE_SHAPES, LOG_SHAPES, shapedText } from '../helpers/log-shapes.ts'
import { readTrace, traceNames } from '../helpers/trace-fixtures.ts'
import type { TraceReader } from '../../src/stack-trace/trace-reader.ts'
import { runs, scaled, someOf } from '../helpers/property-runs.ts'

const readersFor = findReaders(READERS)

/** How many failures begin in a text; throws where one begins at a line that holds none of its reader's marks. */
function openings(text: CleanText): number {
  let count = 0
  text.lines.forEach((line, at) => {
    const open = readersFor(line)
    for (const reader of READERS) {
      for (const floor of [0, at]) {
        if (reader.read(text, at, floor) === null) continue
        count++
        if (!open.includes(reader)) {
          throw new Error(`a failure begins without a mark (${reader.opens.join(' | ')}): ${line}`)
        }
      }
    }
  })
  return count
}

test('no failure of a kept trace begins at a line without a mark of its reader', async t => {
  for (const name of someOf(traceNames())) t.ok(openings(cleanText(readTrace(name))) > 0, name)
})

test('no failure of a log or of a hostile text begins at a line without a mark of its reader', async t => {
  let count = 0
  for (const piece of [...LOG_SHAPES.values(), ...HOSTILE_SHAPES.values()]) {
    count += openings(cleanText(shapedText(piece, scaled(4_096))))
  }
  t.ok(count > scaled(1_000))
})

test('nor does one in lines of every runtime in any order, with characters taken out or put in', async t => {
  const lines = traceNames().flatMap(name => readTrace(name).split('\n'))
  const few = fc
    .record({ from: fc.nat(lines.length - 1), count: fc.integer({ min: 1, max: 6 }) })
    .map(({ from, count }) => lines.slice(from, from + count))
  const edit = fc.record({
    line: fc.nat(5),
    at: fc.nat(120),
    drop: fc.nat(3),
    put: fc.oneof(
      fc.constantFrom('', ' ', '\t', '\u00A0', '#', '@', ':', '.', '0', '"', '(', ')'),
      fc.string({ maxLength: 3 }),
    ),
  })
  let count = 0
  fc.assert(
    fc.property(fc.array(few, { maxLength: 4 }), fc.array(edit, { maxLength: 4 }), (parts, edits) => {
      const text = parts.flat()
      for (const { line, at, drop, put } of edits) {
        const old = text[line]
        if (old !== undefined) text[line] = `${old.slice(0, at)}${put.replace(/[\n\r]/g, '')}${old.slice(at + drop)}`
      }
      count += openings({ lines: text, stamped: new Uint8Array(text.length) })
    }),
    { numRuns: runs(400) },
  )
  t.ok(count > runs(400))
})

test('a line of prose is read by nobody', async t => {
  t.same(
    readersFor('the request took 12 ms').map(({ language }) => language),
    [],
  )
})

test('a reader is found by each of its marks, wherever and however often they overlap', async t => {
  const reader = (...opens: string[]): TraceReader => ({ language: opens.join(), opens, read: () => null })
  const plain = (text: string): string => text.replace(/\d/g, '0').replace(/[^\0-\x7E]/g, '\x7F')
  const mark = fc
    .array(fc.constantFrom('a', 'b', ' ', '0', '7', 'é', '\n'), { minLength: 1, maxLength: 4 })
    .map(characters => characters.join(''))
  const line = fc
    .array(fc.constantFrom('a', 'b', ' ', '3', '7', 'é', '語', '\u00A0', '\t'), { maxLength: 12 })
    .map(characters => characters.join(''))
  fc.assert(
    fc.property(
      fc.array(fc.array(mark, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 70 }),
      line,
      (marks, line) => {
        const readers = marks.map(opens => reader(...opens))
        const text = `\n${plain(line.trim())}\n`
        t.same(
          findReaders(readers)(line),
          readers.filter(({ opens }) => opens.some(mark => text.includes(plain(mark)))),
        )
      },
    ),
    { numRuns: runs(300) },
  )
})
