import { test } from 'tap'
import { hunkOf } from '../../helpers/hunks.ts'
import { splitFile } from '../../../src/edits/text/file-lines.ts'
import { changesOf, keyOf, newlineSaid, nextPlaces } from '../../../src/edits/apply/hunk-changes.ts'
import { checkReplies, diffOf, of } from '../../helpers/reply-cases.ts'

test('lines are not added or removed among blank lines that the hunk does not show', async t => {
  checkReplies(t, [
    [
      'a blank line that is not shown',
      diffOf('@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'),
      of('a\n\nx\nc\n'),
      of('a\n\nb\nc\n'),
    ],
    [
      'one of two blank lines is removed, and the other one is not shown',
      diffOf('@@\n a\n-\n+b\n'),
      ['malformed'],
      of('a\n\n\n'),
    ],
    [
      'the other one of two is removed, and the first is not shown',
      diffOf('@@\n-\n b\n+c\n'),
      ['malformed'],
      of('a\n\n\nb\n'),
    ],
    [
      'blank lines that are not shown where one is added',
      diffOf('@@ -1,2 +1,3 @@\n a\n+x\n b\n'),
      ['malformed'],
      of('a\n\nb\n'),
    ],
    [
      'a blank line between what is removed',
      diffOf('@@ -1,3 +1,2 @@\n-a\n-b\n+x\n c\n'),
      of('\nx\nc\n'),
      of('a\n\nb\nc\n'),
    ],
    ['one of several blank lines is removed', diffOf('@@ -1,3 +1,2 @@\n a\n-\n b\n'), ['not_found'], of('a\n\n\nb\n')],
    [
      'the line end of the lines that a hunk shows, and not of one that it leaves out',
      diffOf('@@\n a\n-b\n\\ No newline at end of file\n+b\n'),
      of('a\n\r\nb\n'),
      of('a\n\r\nb'),
    ],
  ])
})

const same = (line: string): string => line
const changes = (file: string, lines: string[], at: number[], start?: number): ReturnType<typeof changesOf> =>
  changesOf(hunkOf(lines), { at, spell: same }, { file: splitFile(file), start })
const added = (...texts: string[]): Array<{ text: string; end: string }> => texts.map(text => ({ text, end: '\n' }))

test('the changes of a hunk are its runs of removed and added lines', async t => {
  t.same(changes('a\nb\nc\nd\n', [' a', '-b', '+B', ' c', '+x'], [0, 1, 2]), [
    { before: 1, deleted: [1], added: added('B') },
    { before: 3, deleted: [], added: added('x') },
  ])
  t.same(changes('a\nb\n', ['+x', '-a', '-b'], [0, 1]), [{ before: 0, deleted: [0, 1], added: added('x') }])
  t.same(changes('a\n', ['+x'], [], 1), [{ before: 1, deleted: [], added: added('x') }])
  t.same(changes('a\nb\nc\n', ['-a', ' ...', '-c', '+x'], [0, -1, 2]), [
    { before: 0, deleted: [0], added: [] },
    { before: 2, deleted: [2], added: added('x') },
  ])
  t.same(changes('a\n\nb\n', ['-a', '-b'], [0, 2]), [
    { before: 0, deleted: [0], added: [] },
    { before: 2, deleted: [2], added: [] },
  ])
  t.equal(changesOf(hunkOf(['+x']), { at: [], spell: () => null }, { file: splitFile('a\n'), start: 0 }), 'indentation')
})

test('lines are not added, nor a blank one removed, where the hunk does not show the blank lines', async t => {
  t.equal(changes('a\n\nb\n', [' a', '+x', ' b'], [0, 2]), 'blank_lines')
  t.equal(changes('a\n\n\n', [' a', '-'], [0, 1]), 'blank_lines')
  t.same(changes('a\n\nb\n', [' a', '-'], [0, 1]), [{ before: 1, deleted: [1], added: [] }])
  t.same(changes('a\n\n\nb\n', [' a', '-', '-'], [0, 1, 2]), [{ before: 1, deleted: [1, 2], added: [] }])
  t.equal(changes('a\n \n \nb\n', [' a', '-', '-'], [0, 1, 2]), 'blank_lines', 'spelled otherwise')
})

test('added lines end like those that the hunk shows, if these agree', async t => {
  const ends = (file: string, lines: string[], at: number[]): unknown => {
    const found = changes(file, lines, at)
    return typeof found === 'string' ? found : found.flatMap(change => change.added.map(({ end }) => end))
  }
  t.same(ends('a\r\nb\n', [' a', '+x'], [0]), ['\r\n'])
  t.same(ends('a\r\nb\nc\n', [' a', '+x', ' b'], [0, 1]), ['\r\n'], 'else like the line above')
  t.same(ends('a\r\nb\nc\n', [' a', '-b', '+x'], [0, 1]), ['\n'], 'or like the one that is replaced')
  const mixed = hunkOf([' a', '+x', '+y'])
  for (const [i, line] of mixed.lines.entries()) line.hasCr = i === 1
  t.match(changesOf(mixed, { at: [0], spell: same }, { file: splitFile('a\n') }), [
    { added: [{ end: '\r\n' }, { end: '\n' }] },
  ])
})

test('a hunk at the end of a file says whether a newline is there', async t => {
  const said = (lines: string[], marked: number[], at: number[], length: number): boolean | null => {
    const hunk = hunkOf(lines)
    for (const [i, line] of hunk.lines.entries()) line.noNewline = marked.includes(i)
    return newlineSaid(hunk, { at, spell: same }, length)
  }
  t.equal(said(['-a', '+b'], [1], [0], 1), false)
  t.equal(said(['-a', '+b'], [0], [0], 1), true)
  t.equal(said(['-a', '+b'], [0, 1], [0], 1), false)
  t.equal(said(['-a', '+b'], [], [0], 1), null)
  t.equal(said(['-a', '+b'], [0], [0], 2), null, 'not at the end')
  t.equal(said(['+b', ' a'], [1], [0], 1), null, 'context')
  t.equal(said(['-a', '+b', ' '], [0], [0, -1], 1), true, 'a blank line that is not there')
})

test('keys tell changes from others, and places go on to the next one', async t => {
  const change = { before: 1, deleted: [1], added: added('x') }
  t.equal(keyOf(change), keyOf({ ...change, added: [{ text: 'x', end: '' }] }))
  t.not(keyOf(change), keyOf({ ...change, before: 2 }))
  t.not(keyOf(change), keyOf({ ...change, deleted: [] }))
  t.not(keyOf(change), keyOf({ ...change, added: added('y') }))
  t.same(nextPlaces([3, -1, 5, -1]), [3, 5, 5, undefined])
})
