import { test } from 'tap'
import { cluesOf, type Clues } from '../../../src/resolver/context/clues.ts'
import { CodeFile } from '../../../src/resolver/context/code-file.ts'
import { createRowTokens } from '../../../src/resolver/context/row-tokens.ts'
import type { Unit } from '../../../src/resolver/context/units.ts'
import { numbered, ranked, scope } from './build-from.ts'

function clues(marks: number[], units: Array<[from: number, to: number, chain: number[]]>, ranges: number[][] = []) {
  const file = new CodeFile(
    ranked('a.py', {
      highlightedLines: marks,
      ranges: ranges.map(([startLine = 0, endLine = 0]) => ({ startLine, endLine, why: '' })),
    }),
    0,
    { text: numbered(100), scopes: [scope('total', 10, 40)], count: createRowTokens(text => text.length) },
  )
  return cluesOf(
    file,
    units.map(([from, to, chain]): Unit => ({ file, from, to, chain })),
  )
}

const get = (found: readonly Clues[], name: keyof Clues): number[] => found.map(clue => clue[name])

test('the failing line, its function and the distance from it are told apart', async t => {
  const found = clues(
    [20, 80],
    [
      [15, 25, [0]],
      [30, 40, [0]],
      [75, 85, []],
    ],
  )
  t.same(get(found, 'failing'), [1, 0, 0])
  t.same(get(found, 'sameFunction'), [1, 1, 0])
  t.same(get(found, 'near'), [1, 12 / 22, 1])
  t.same(get(found, 'nearFailing'), [1, 12 / 22, 1 / (1 + 55 / 12)])
  t.same(get(found, 'hasMarks'), [1, 1, 1])
})

test('the first range counts most, and a file without lines of the trace has no failing unit', async t => {
  const found = clues(
    [],
    [
      [1, 5, []],
      [50, 55, []],
      [90, 100, []],
    ],
    [
      [52, 53],
      [5, 6],
    ],
  )
  t.same(get(found, 'pointed'), [1 / 1.5, 1, 0])
  t.same(get(found, 'failing'), [0, 0, 0])
  t.same(get(found, 'near'), [0, 0, 0])
  t.same(get(found, 'hasMarks'), [0, 0, 0])
})

test('sizes are logarithms of lines', async t => {
  const [found] = clues([], [[1, 8, []]])
  t.equal(found?.size, Math.log(8))
  t.equal(found?.fileSize, Math.log(100))
})
