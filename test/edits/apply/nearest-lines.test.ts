import { test } from 'tap'
import { LineIndex } from '../../../src/edits/apply/line-index.ts'
import { nearestLines } from '../../../src/edits/apply/nearest-lines.ts'
import type { Nearest } from '../../../src/edits/edit.ts'
import { hunkOf } from '../../helpers/hunks.ts'

const nearest = (file: string[], ...lines: string[]): Nearest[] =>
  nearestLines(hunkOf(lines), new LineIndex(file, { left: 1e6 }))

const FILE = [
  'import os',
  '',
  'def load(path):',
  '    return open(path).read()',
  '',
  'def save(path, text):',
  '    pass',
]

test('lines are shown where most of those of a hunk stand, the most similar first', async t => {
  t.same(nearest(FILE, ' def load(path):', '-    return path', '+    x'), [
    { startLine: 3, lines: ['def load(path):', '    return open(path).read()'], similarity: 0.7 },
  ])
  const twice = ['a b c d', 'x', 'a b c d', 'y z', 'a b c d', 'w']
  t.same(
    nearest(twice, ' a b c d', '-y'),
    [
      { startLine: 3, lines: ['a b c d', 'y z'], similarity: 0.91 },
      { startLine: 1, lines: ['a b c d', 'x'], similarity: 0.8 },
    ],
    'two of them at most',
  )
})

test('where no line of a hunk is in the file, the words of its longest line decide', async t => {
  const found = nearest(FILE, ' x', '-def save(path, content, mode):')
  t.same(
    found.map(({ startLine, lines }) => [startLine, lines]),
    [[5, ['', 'def save(path, text):']]],
  )
})

test('nothing is shown where nothing is alike, or nothing is looked for', async t => {
  t.same(nearest(FILE, '-nothing of this'), [])
  t.same(nearest(FILE, '+import os'), [], 'an added line')
  t.same(nearest([], '-import os'), [])
  t.same(nearest(FILE, ' ', '-'), [], 'blank lines')
})

test('what begins above the file is shown from its first line', async t => {
  t.same(nearest(['b c d e', 'f g h i'], ' 0', ' b c d e', ' f g h i'), [
    { startLine: 1, lines: ['b c d e', 'f g h i'], similarity: 0.94 },
  ])
})

test('a line that stands nearly everywhere says nothing about a place', async t => {
  const file = [...Array.from({ length: 41 }, () => 'end'), 'def f():']
  t.same(nearest(file, ' end', '-def g():')[0]?.startLine, 41)
})
