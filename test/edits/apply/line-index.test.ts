import fc from 'fast-check'
import { test } from 'tap'
import { LineIndex, spend, TooMuchWork, type Level } from '../../../src/edits/apply/line-index.ts'
import { runs } from '../../helpers/property-runs.ts'

const indexOf = (...lines: string[]): LineIndex => new LineIndex(lines, { left: 1e6 })

test('each level takes more lines for equal', async t => {
  const index = indexOf('a', 'a ', '  a', 'a\u200B', 'b')
  const places = (level: Level): readonly number[] => index.placesOf('a', level)
  t.same(places('exact'), [0])
  t.same(places('trailing'), [0, 1])
  t.same(places('folded'), [0, 1, 3])
  t.same(places('stripped'), [0, 1, 2, 3])
  t.same(index.placesOf('c', 'stripped'), [])
  for (const [place, level, isThere] of [
    [0, 'exact', true],
    [1, 'exact', false],
    [1, 'trailing', true],
    [2, 'trailing', false],
    [2, 'stripped', true],
    [5, 'stripped', false],
    [-1, 'stripped', false],
  ] as const) {
    t.equal(index.isAt(place, 'a', level), isThere, `${place}, ${level}`)
  }
})

test('lines are found wherever they stand one after the other, in any of their spellings', async t => {
  const index = indexOf('a', 'b', 'a', 'b', 'c', 'a')
  t.same(index.find([['a'], ['b']], 'exact'), [0, 2])
  t.same(index.find([['a'], ['b'], ['c']], 'exact'), [2])
  t.same(index.find([['a'], ['x', 'b'], ['c', 'a']], 'exact'), [0, 2])
  t.same(index.find([['a'], ['c']], 'exact'), [])
  t.same(index.find([['x']], 'exact'), [])
  t.same(index.find([], 'exact'), [])
  t.same(
    index.find(
      Array.from('ababcab', line => [line]),
      'exact',
    ),
    [],
    'longer than the file',
  )
})

test('what is found is what comparing each place finds, whatever repeats', async t => {
  const letters = fc.array(fc.constantFrom('a', 'b'), { maxLength: 40 })
  const pattern = fc.array(fc.subarray(['a', 'b'], { minLength: 1 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(letters, pattern, (lines, wanted) => {
      const found = indexOf(...lines).find(wanted, 'exact')
      const expected = lines.flatMap((_, start) =>
        wanted.every((own, i) => own.includes(lines[start + i] ?? 'x')) ? [start] : [],
      )
      t.same(found, expected)
    }),
    { numRuns: runs(500) },
  )
})

function isRefused(run: () => void): boolean {
  try {
    run()
    return false
  } catch (error) {
    return error instanceof TooMuchWork
  }
}

test('work is counted, and refused when none is left', async t => {
  const work = { left: 3 }
  spend(work, 3)
  t.equal(work.left, 0)
  t.ok(isRefused(() => spend(work, 1)))
  t.ok(isRefused(() => new LineIndex(['a', 'a', 'a'], { left: 2 }).find([['a'], ['a'], ['a']], 'exact')))
  const index = new LineIndex(['a', 'b'], { left: 10 })
  index.isAt(0, 'a', 'exact')
  t.equal(index.work.left, 9)
})
