import fc from 'fast-check'
import { test } from 'tap'
import { runs } from '../../helpers/property-runs.ts'
import { rangeBefore, replacedIn } from '../../../src/repos/history/line-moves.ts'

const text = (...lines: string[]) => lines.map(line => `${line}\n`).join('')
const ABC = text('a', 'b', 'c', 'd')

test('texts differ in replaced, added and removed lines', async t => {
  t.same(replacedIn(ABC, ABC), [])
  t.same(replacedIn(ABC, text('a', 'x', 'y', 'c', 'd')), [{ oldStart: 1, oldCount: 1, newStart: 1, newCount: 2 }])
  t.same(replacedIn(ABC, text('a', 'b', 'x', 'c', 'd')), [{ oldStart: 2, oldCount: 0, newStart: 2, newCount: 1 }])
  t.same(replacedIn(ABC, text('a', 'd')), [{ oldStart: 1, oldCount: 2, newStart: 1, newCount: 0 }])
  t.same(replacedIn('', text('a')), [{ oldStart: 0, oldCount: 0, newStart: 0, newCount: 1 }])
  t.same(replacedIn(text('a'), ''), [{ oldStart: 0, oldCount: 1, newStart: 0, newCount: 0 }])
})

test('texts with too many edits between them differ as a whole', async t => {
  const many = (word: string) => text(...Array.from({ length: 1_200 }, (_, index) => `${word} ${index}`))
  t.same(replacedIn(many('old'), many('new')), [{ oldStart: 0, oldCount: 1_200, newStart: 0, newCount: 1_200 }])
})

test('lines are found where they were: behind added ones, and what a replaced one stands for', async t => {
  const replaced = replacedIn(ABC, text('new', 'a', 'x', 'y', 'c', 'd'))
  t.same(rangeBefore({ start: 1, end: 2 }, replaced), { start: 0, end: 1 }, 'a')
  t.same(rangeBefore({ start: 3, end: 4 }, replaced), { start: 1, end: 2 }, 'y stands for b')
  t.same(rangeBefore({ start: 4, end: 6 }, replaced), { start: 2, end: 4 }, 'c and d')
  t.same(rangeBefore({ start: 0, end: 1 }, replaced), { start: 0, end: 0 }, 'the new line was not there')
  t.same(rangeBefore({ start: 5, end: 5 }, replaced), { start: 3, end: 3 }, 'between c and d')
  t.same(rangeBefore({ start: 3, end: 3 }, replaced), { start: 1, end: 2 }, 'between x and y')
  const gone = replacedIn(ABC, text('a', 'd'))
  t.same(rangeBefore({ start: 1, end: 1 }, gone), { start: 1, end: 3 }, 'where b and c were')
  t.same(rangeBefore({ start: 1, end: 2 }, gone), { start: 3, end: 4 }, 'd')
  t.same(rangeBefore({ start: 0, end: 1 }, gone), { start: 0, end: 1 }, 'a')
})

test('a line that both texts share is found as itself, whatever was changed around it', async t => {
  const lines = fc.uniqueArray(fc.stringMatching(/^[a-z]{3}$/), { maxLength: 12 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const replaced = replacedIn(text(...before), text(...after))
      const changed = new Set(
        replaced.flatMap(({ newStart, newCount }) => Array.from({ length: newCount }, (_, index) => newStart + index)),
      )
      for (const [at, line] of after.entries()) {
        const range = rangeBefore({ start: at, end: at + 1 }, replaced)
        if (!changed.has(at)) t.same(before.slice(range.start, range.end), [line])
        else t.ok(range.start <= range.end && range.end <= before.length)
      }
    }),
    { numRuns: runs(1_000) },
  )
})
