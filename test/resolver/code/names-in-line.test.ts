import fc from 'fast-check'
import { test } from 'tap'
import { eachName } from '../../../src/resolver/code/names-in-line.ts'
import { runs } from '../../helpers/property-runs.ts'

function namesIn(line: string, length = 300): Array<[name: string, end: number]> {
  const found: Array<[string, number]> = []
  eachName(line, length, (name, end) => found.push([name, end]))
  return found
}

const byExpression = (line: string): Array<[string, number]> =>
  [...line.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)].map(({ 0: name, index }) => [name, index + name.length])

test('names come with the position behind them, and digits begin none', async t => {
  t.same(namesIn('x = 2pi * total_2(größe)'), [
    ['x', 1],
    ['pi', 7],
    ['total_2', 17],
    ['größe', 23],
  ])
  t.same(namesIn('alpha beta', 7), [
    ['alpha', 5],
    ['b', 7],
  ])
})

test('lines of any characters have the names that a regular expression finds', async t => {
  const line = fc.string({ unit: fc.constantFrom(...'aZ_$09 .(é٣ ́\u{1d4d0}'), maxLength: 40 })
  fc.assert(
    fc.property(line, text => {
      t.strictSame(namesIn(text), byExpression(text))
    }),
    { numRuns: runs(2000) },
  )
})
