import { test } from 'tap'
import { mapLines } from '../../src/guards/line-map.ts'

const text = (...lines: string[]) => lines.join('\n')
/** The lines that are new, of so many. */
const added = (map: ReturnType<typeof mapLines>, count: number) =>
  Array.from({ length: count }, (_, index) => index + 1).filter(line => map.isAdded(line))
const places = (map: ReturnType<typeof mapLines>, count: number) =>
  Array.from({ length: count }, (_, index) => map.placeOf(index + 1)).map(({ from, to }) => `${from}-${to}`)

test('equal texts have each line where it was, spaces at the ends aside', async t => {
  const map = mapLines(text('a', 'b', 'c'), text('a ', 'b\t', 'c\r'))
  t.same(places(map, 4), ['1-1', '2-2', '3-3', '4-4'])
  t.same(added(map, 4), [])
})

test('lines that are changed stand for each other, those behind them are shifted', async t => {
  const map = mapLines(text('a', 'b', 'c', 'd', 'e'), text('a', 'B', 'b2', 'b3', 'd', 'E'))
  t.same(places(map, 5), ['1-1', '2-4', '2-4', '5-5', '6-6'])
  t.same(added(map, 6), [2, 3, 4, 6])
})

test('lines that are added or go at the beginning, in the middle and at the end', async t => {
  const grown = mapLines(text('a', 'b'), text('new', 'a', 'new2', 'b', 'new3'))
  t.same(places(grown, 3), ['2-2', '4-4', '6-6'])
  t.same(added(grown, 5), [1, 3, 5])
  const shrunk = mapLines(text('old', 'a', 'old2', 'old3', 'b', 'old4'), text('a', 'b'))
  t.same(places(shrunk, 6), ['1-0', '1-1', '2-1', '2-1', '2-2', '3-2'], 'what is gone stands for no line')
  t.same(added(shrunk, 2), [])
})

test('of texts with too many differences the two ends alone are known', async t => {
  const rows = (mark: string, count: number) => Array.from({ length: count }, (_, at) => `${mark}${at}`)
  const before = ['head', ...rows('old', 1500), 'tail', 'end']
  const after = ['head', ...rows('new', 1600), 'tail', 'end']
  const map = mapLines(text(...before), text(...after))
  t.same(map.placeOf(1), { from: 1, to: 1 })
  t.same(map.placeOf(2), { from: 2, to: 1601 })
  t.same(map.placeOf(1501), { from: 2, to: 1601 })
  t.same(map.placeOf(1502), { from: 1602, to: 1602 })
  t.same([1, 2, 1601, 1602].map(map.isAdded), [false, true, true, false])
  const repeated = mapLines(text('a', ...rows('old', 2500), 'a'), text('a', 'a'))
  t.same(
    [repeated.placeOf(1), repeated.placeOf(2502)],
    [1, 2].map(line => ({ from: line, to: line })),
  )
  const twice = mapLines(text('a', ...rows('old', 2500), 'a', 'a'), text('a', 'a'))
  t.same(
    [2502, 2503].map(twice.placeOf),
    [
      { from: 2, to: 1 },
      { from: 2, to: 2 },
    ],
    'no line stands for two',
  )
  const apart = mapLines(text('x', ...rows('old', 2500)), text('y', ...rows('new', 2500)))
  t.same(apart.placeOf(1), { from: 1, to: 2501 })
  const halves = (mark: string) => [...rows(mark, 1100), 'same', ...rows(`${mark}er`, 1100)]
  const inside = mapLines(text(...halves('old')), text(...halves('new')))
  t.same(inside.placeOf(1101), { from: 1, to: 2201 }, 'what is equal between the ends is not looked for')
  const mostly = mapLines(text('a', ...rows('b', 2500)), text('a', ...rows('c', 2500)))
  t.same(mostly.placeOf(2), { from: 2, to: 2501 })
})
