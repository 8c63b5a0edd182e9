import { test } from 'tap'
import { LineIndex } from '../../../src/edits/apply/line-index.ts'
import { hasNewSide, isDone, isMarkerOfFile, isNewSideAt, looksTaken } from '../../../src/edits/apply/new-side.ts'
import { placeAt } from '../../../src/edits/apply/place-hunk.ts'
import { oldSide } from '../../../src/edits/edit.ts'
import { hunkOf } from '../../helpers/hunks.ts'

const index = (...lines: string[]): LineIndex => new LineIndex(lines, { left: 1e6 })

test('a hunk is done where its new side stands, and clearly so', async t => {
  const done = (file: string[], ...lines: string[]): boolean => isDone(hunkOf(lines), index(...file))
  t.equal(done(['a', 'new line', 'b'], ' a', '-old line', '+new line', ' b'), true)
  t.equal(done(['a', 'old line', 'b'], ' a', '-old line', '+new line', ' b'), false, 'the old side is there')
  t.equal(done(['a', 'new line', 'old line'], ' a', '-old line', '+new line'), false, 'and right beside it')
  t.equal(done(['a', '}'], ' a', '+}'), false, 'a line that says little')
  t.equal(done(['ab', 'cd'], ' ab', '-x', ' cd'), true, 'a removed line between lines that say something')
  t.equal(done(['a', 'b'], ' a', '-x', ' b'), false, 'between lines that say little')
  t.equal(done(['ab', 'cd'], '-x', ' ab', ' cd'), false, 'not between them')
  t.equal(done(['ab', 'cd', 'ab', 'cd'], ' ab', '-x', ' cd'), false, 'in two places')
  t.equal(done(['some line', 'some line'], '+some line'), false, 'nothing but what is added, in two places')
  t.equal(done(['some line'], '-  some line', '+some line'), false, 'only blanks are new')
  t.equal(done(['ab', 'some line', 'cd'], ' ab', '-  some line', '+some line', ' cd'), false, 'also between others')
  t.equal(done(['ab', 'cd'], ' ab', ' cd'), false, 'nothing but context')
  t.equal(done([], '-x'), false)
})

test('the new side of a hunk is looked for in all of the file, or where its old side stands', async t => {
  const hunk = hunkOf([' a', '+b', ' c'])
  t.equal(hasNewSide(hunk, index('x', 'a', 'b', 'c')), true)
  t.equal(hasNewSide(hunk, index('a', 'c', 'b')), false)
  const isAt = (file: string[], lines: string[], start: number): boolean => {
    const sent = hunkOf(lines)
    return isNewSideAt(sent, placeAt(oldSide(sent), start), index(...file))
  }
  t.equal(isAt(['a', 'b', 'c'], [' a', '+b'], 0), true)
  t.equal(isAt(['a', 'c'], [' a', '+b'], 0), false)
  t.equal(isAt(['b', 'a'], ['+b', ' a'], 1), true, 'inserted before the first line of context')
  t.equal(isAt(['a'], ['+b', ' a'], 0), false)
  t.equal(isAt(['b', 'a'], ['+b', '-a'], 1), false, 'no context')
})

test('a line with a sign that the file has just so is a line of context which lost its prefix', async t => {
  const taken = (file: string[], lines: string[], start: number, counts: [number, number] | null = null): boolean => {
    const sent = hunkOf(lines, counts)
    return looksTaken(sent, placeAt(oldSide(sent), start), index(...file))
  }
  t.equal(taken(['a', '+b'], [' a', '+b'], 0), true)
  t.equal(taken(['+b', 'a'], ['+b', ' a'], 1), true)
  t.equal(taken(['a', 'c', '+b'], [' a', '+b', ' c'], 0), false, 'further away')
  t.equal(taken(['a', 'c', '+b'], [' a', '+b', ' c'], 0, [3, 3]), true, 'where the counts ask for more context')
  t.equal(taken(['b', '-b'], ['-b'], 0), true)
  t.equal(taken(['b', '-b'], ['-b'], 0, [1, 0]), false, 'the counts come out')
  t.equal(taken(['b', 'x', '-b'], ['-b'], 0), false)
})

test('the marker of a last line is one of the file only where the file has it, and goes on', async t => {
  const marked = hunkOf(['-a', '+b'])
  const last = marked.lines.at(-1)
  if (last !== undefined) last.noNewline = true
  const marker = '\\ No newline at end of file'
  t.equal(isMarkerOfFile(marked, placeAt(oldSide(marked), 0), index('a', marker)), true)
  t.equal(isMarkerOfFile(marked, placeAt(oldSide(marked), 1), index(marker, 'a')), false, 'the last line')
  t.equal(isMarkerOfFile(marked, placeAt(oldSide(marked), 0), index('a', 'b')), false)
  t.equal(isMarkerOfFile(hunkOf(['-a']), placeAt(oldSide(marked), 0), index('a', marker)), false)
})
