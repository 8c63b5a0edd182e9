import fc from 'fast-check'
import { test } from 'tap'
import { codePage } from '../../src/text/code-page.ts'
import { runs } from '../helpers/property-runs.ts'

const row = (line: number, marked = false): string =>
  `${marked ? '>>>' : '   '} ${String(line).padStart(4)} | line ${line}`

const section = (name: string, lines: readonly number[], marks: readonly number[] = []): string =>
  [`=== File: ${name} [lines] ===`, ...lines.map(line => row(line, marks.includes(line)))].join('\n')

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('a context that fits on its page is shown as it is', t => {
  const context = section('a.py', range(1, 10), [5])
  t.same(codePage(context, 11), { text: context, omitted: 0 })
  t.end()
})

test('of a longer one the rows next to those of the trace are shown, and the others counted', t => {
  const { text, omitted } = codePage(section('a.py', range(1, 100), [50]), 23)
  t.match(text, row(50, true))
  t.match(text, row(47))
  t.notMatch(text, row(1))
  t.equal(omitted, 100 - text.split('\n').filter(line => line.includes('|')).length)
  t.end()
})

test('the first file takes half of the page at most, so that others are seen', t => {
  const { text } = codePage([section('a.py', range(1, 100), [50]), section('b.py', range(1, 40), [9])].join('\n\n'), 40)
  t.match(text, /File: b\.py/)
  t.match(text, row(9, true))
  t.end()
})

test('a gap between rows is shown as one', t => {
  const { text } = codePage(section('a.py', [...range(1, 40), ...range(300, 340)], [20, 320]), 19)
  t.match(text, /\n +…\n/)
  t.end()
})

test('a page never has more lines than it may, nor a row that the context has not', t => {
  const sections = fc.array(
    fc.record({ from: fc.integer({ min: 1, max: 50 }), count: fc.integer({ min: 1, max: 60 }), mark: fc.nat(120) }),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(sections, fc.integer({ min: 16, max: 60 }), (files, most) => {
      const context = files
        .map(({ from, count, mark }, i) => section(`f${i}.py`, range(from, from + count - 1), [mark]))
        .join('\n\n')
      const { text, omitted } = codePage(context, most)
      const known = new Set(context.split('\n'))
      const rows = text.split('\n').filter(line => line.includes('|'))
      return (
        text.split('\n').length <= most &&
        rows.every(line => known.has(line)) &&
        rows.length + omitted === context.split('\n').filter(line => line.includes('|')).length
      )
    }),
    { numRuns: runs(200) },
  )
  t.end()
})
