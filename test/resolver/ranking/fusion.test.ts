import { test } from 'tap'
import { fuse, type WeightedList } from '../../../src/resolver/ranking/fusion.ts'
import type { RankerHit } from '../../../src/resolver/ranking/rankers/hits.ts'

const evidence = (path: string, score: number, why = `why ${path}`): RankerHit => ({
  repository: 'shop',
  path,
  score,
  why,
  lines: [{ startLine: 1, endLine: 9 }],
})
const list = (rank: number, reason: WeightedList['reason'], ...files: RankerHit[]): WeightedList => ({
  reason,
  named: { rank },
  others: { rank },
  files,
})
const options = { prior: () => 0, nothing: 0, most: 10, isNamed: () => false }

test('what several lists agree in comes before what one list has first', t => {
  const files = fuse(
    [list(1, 'lexical', evidence('a', 3), evidence('b', 2)), list(1, 'related', evidence('c', 9), evidence('b', 8))],
    options,
  )
  t.same(
    files.map(({ path }) => path),
    ['b', 'a', 'c'],
  )
  t.end()
})

test('scores fall and add up to less than 1, the less the weaker the evidence is', t => {
  const files = fuse([list(1, 'lexical', evidence('a', 3), evidence('b', 2))], options)
  const sum = (scores: typeof files): number => scores.reduce((total, { score }) => total + score, 0)
  t.ok(files.every(({ score }, i) => score > 0 && score <= (files[i - 1]?.score ?? 1)))
  t.ok(sum(files) < 1)
  t.ok(sum(fuse([list(1, 'lexical', evidence('a', 3), evidence('b', 2))], { ...options, nothing: 5 })) < sum(files))
  t.end()
})

test('a file that the trace names says so first; ranges of all lists are handed on once', t => {
  const [file] = fuse(
    [list(5, 'lexical', evidence('a', 3, 'shares words')), list(1, 'frame', evidence('a', 1, 'failing frame'))],
    options,
  )
  t.match(file, { reason: 'frame', why: 'failing frame; shares words', ranges: [{ startLine: 1, endLine: 9 }] })
  t.equal(file?.ranges.length, 1)
  t.end()
})

test('files of the trace are kept however many others come before them', t => {
  const files = fuse([list(1, 'lexical', ...Array.from({ length: 20 }, (_, i) => evidence(`f${i}`, 20 - i)))], {
    ...options,
    most: 3,
    isNamed: ({ path }) => path === 'f19',
  })
  t.same(
    files.map(({ path }) => path),
    ['f0', 'f1', 'f2', 'f19'],
  )
  t.end()
})

test('a prior moves a file without any list', t => {
  const files = fuse([list(1, 'lexical', evidence('test/a', 3), evidence('b', 2))], {
    ...options,
    prior: ({ path }) => (path.startsWith('test/') ? -1 : 0),
  })
  t.same(
    files.map(({ path }) => path),
    ['b', 'test/a'],
  )
  t.end()
})

test('files that the trace does not name are placed among themselves, with weights of their own', t => {
  const isNamed = ({ path }: { path: string }): boolean => path.startsWith('named')
  const named: WeightedList = {
    reason: 'lexical',
    others: { rank: 1 },
    files: [evidence('named', 4), evidence('a', 3), evidence('b', 2)],
  }
  const alone: WeightedList = { ...named, files: [evidence('a', 3), evidence('b', 2)] }
  const scoreOf = (lists: WeightedList[], path: string) =>
    fuse(lists, { ...options, nothing: 50, isNamed }).find(file => file.path === path)?.score
  t.equal(scoreOf([named], 'a'), scoreOf([alone], 'a'))
  t.same(
    fuse([named], { ...options, isNamed }).map(({ path }) => path),
    ['a', 'b', 'named'],
  )
  t.end()
})
