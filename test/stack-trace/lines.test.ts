import { test } from 'tap'
import { indentOf, isBlankAt, lineAt, skipBlank } from '../../src/stack-trace/lines.ts'

const LINES = ['a', '', ' \t', '  b', '']

test('outside of the text there is no line, and none is blank', async t => {
  t.equal(lineAt(LINES, 3), '  b')
  t.equal(lineAt(LINES, -1), '')
  t.equal(lineAt(LINES, 5), '')
  t.same(
    [-1, 0, 1, 2, 3, 4, 5].filter(at => isBlankAt(LINES, at)),
    [1, 2, 4],
  )
})

test('blank lines are skipped up to the limit and not beyond the end', async t => {
  t.equal(skipBlank(LINES, 0, 3), 0)
  t.equal(skipBlank(LINES, 1, 3), 3)
  t.equal(skipBlank(LINES, 1, 1), 2)
  t.equal(skipBlank(LINES, 4, 3), 5)
  t.equal(skipBlank(LINES, 9, 3), 9)
})

test('spaces and tabs in front of a line are its indentation', async t => {
  t.same(['', 'a', '  a', '\ta', '   '].map(indentOf), [0, 0, 2, 1, 3])
})
