import { test } from 'tap'
import { hunkOf } from '../../helpers/hunks.ts'
import { findPlaces, standsUnprefixedAt } from '../../../src/edits/apply/place-hunk.ts'
import { LineIndex } from '../../../src/edits/apply/line-index.ts'
import { app, checkReplies, diffOf, fenced, HUNK, NAMES, of, SAVED } from '../../helpers/reply-cases.ts'

test('a hunk stands where its lines do', async t => {
  checkReplies(t, [
    ['wrong numbers', fenced(NAMES + HUNK.replace('-8', '-80')), app(SAVED)],
    ['blanks at ends', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a  \nc\n'), of('a  \nb\t\n')],
    [
      'dots for what is between',
      diffOf('@@ -1,5 +1,5 @@\n a\n-b\n+B\n ...\n-e\n+E\n'),
      of('a\nB\nc\nd\nE\n'),
      of('a\nb\nc\nd\ne\n'),
    ],
    [
      'a removed line that is only alike',
      diffOf('@@ -1,2 +1,2 @@\n a\n-return items\n+return 1\n'),
      ['not_found'],
      of('a\nreturn item\n'),
    ],
    ['a gap whose parts stand in two places', diffOf('@@\n a\n ...\n-x\n+y\n'), ['not_found'], of('a\nb\nx\nc\nx\n')],
  ])
})

test('places are looked for in tiers, and the next one only when one finds nothing', async t => {
  const find = (file: string[], ...lines: string[]): unknown => {
    const found = findPlaces(hunkOf(lines).lines, new LineIndex(file, { left: 1e6 }))
    return found && [found.tier, ...found.places.starts.map((_, which) => found.places.place(which).at)]
  }
  t.same(find(['a', 'b', 'a', 'b'], ' a', '-b'), ['exact', [0, 1], [2, 3]])
  t.same(find([' a', 'b'], ' a', '-b'), ['prefix', [0, 1]])
  t.equal(find([' a', 'b'], '-a', '-b'), null, 'a removed line has its prefix, and the rest is not shifted')
  t.same(find(['a ', 'b'], ' a', '-b'), ['trailing', [0, 1]])
  t.same(find(['"a"', 'b'], ' “a”', '-b'), ['unicode', [0, 1]])
  t.same(find(['  a', '    b'], ' a', '-  b'), ['indentation', [0, 1]])
  t.same(find(['a', '', 'b'], ' a', '-b'), ['blank_lines', [0, 2]])
  t.same(find(['a', 'b'], ' a', ' ', '-b'), ['blank_lines', [0, -1, 1]])
  t.same(
    find(['a', '', 'b', '', '', 'c'], ' a', ' ', ' b', '-c'),
    ['blank_lines', [0, 1, 2, 5]],
    'a blank one is taken',
  )
  t.same(find(['a', '', '', 'b'], ' ', ' a', '-b'), ['blank_lines', [-1, 0, 3]], 'nothing is before the first line')
  t.equal(find(['a', 'b'], ' a', '-', '-b'), null, 'a blank line that is removed must be there')
  t.equal(find(['a', '', '', 'b'], ' a', '-', '-b'), null, 'and be all of them')
  t.same(find(['a', 'x', 'b', 'y', 'c'], ' a', ' ...', '-b', '-y'), ['ellipsis', [0, -1, 2, 3]])
  t.equal(find(['b', 'x', 'a'], ' a', ' ...', '-b'), null, 'in another order')
  t.equal(find(['a', 'b', 'b'], ' a', ' ...', '-b'), null, 'in two places')
  t.equal(find(['a'], ' ...'), null, 'nothing but a gap')
  t.equal(find(['a', 'c'], ' a', '-b'), null)
})

test('added lines are spelled and indented as at their place', async t => {
  const spell = (file: string[], lines: string[], line: string): string | null | undefined =>
    findPlaces(hunkOf(lines).lines, new LineIndex(file, { left: 1e6 }))
      ?.places.place(0)
      .spell(line)
  t.equal(spell(['  a', '    b'], [' a', '-  b'], '  c'), '    c')
  t.equal(spell(['a'], [' a'], '  c'), '  c')
  t.equal(spell(['a', ' b'], ['   a', '-   b'], 'c'), null, 'less indentation than is dropped')
  t.equal(spell(['"a"'], ['-“a”'], '“c”'), '"c"')
})

test('a hunk stands at its number when only prefixes or blanks at ends are lost', async t => {
  const index = new LineIndex(['x', '  a ', 'b'], { left: 1e6 })
  const stands = (start: number, ...lines: string[]): boolean => standsUnprefixedAt(hunkOf(lines).lines, start, index)
  t.equal(stands(1, '  a', ' b'), true)
  t.equal(stands(1, '   a', '-b'), true)
  t.equal(stands(1, '- a', '-b'), false)
  t.equal(stands(0, '  a', ' b'), false)
  t.equal(stands(-1, ' x'), false)
})
