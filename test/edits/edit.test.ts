import { test } from 'tap'
import {
  badPathProblem,
  deletionProblem,
  isCountedOut,
  isDeletion,
  isUnplaced,
  newSide,
  oldSide,
  replyProblem,
  unplacedProblem,
  type Hunk,
  type HunkLine,
} from '../../src/edits/edit.ts'

const line = (raw: string): HunkLine => ({
  kind: raw[0] === '+' || raw[0] === '-' ? raw[0] : ' ',
  text: raw.slice(1),
  raw,
  hasCr: false,
  noNewline: false,
})
const lines = [' a', '-b', '+c', '+d', ' e'].map(line)
const hunk = (oldCount: number | null, newCount: number | null): Hunk => ({
  number: 1,
  oldStart: null,
  oldCount,
  newCount,
  lines,
  doubtfulTail: 0,
  spills: false,
  text: '',
})

test('a hunk has the lines before it on its old side, and those after it on its new side', async t => {
  t.same(
    oldSide({ lines }).map(({ text }) => text),
    ['a', 'b', 'e'],
  )
  t.same(
    newSide({ lines }).map(({ text }) => text),
    ['a', 'c', 'd', 'e'],
  )
})

test('a hunk is counted out when both sides have as many lines as its header says', async t => {
  t.equal(isCountedOut(hunk(3, 4)), true)
  t.equal(isCountedOut(hunk(2, 4)), false)
  t.equal(isCountedOut(hunk(4, 4)), false)
  t.equal(isCountedOut(hunk(3, 3)), false)
  t.equal(isCountedOut(hunk(3, 5)), false)
  t.equal(isCountedOut(hunk(null, null)), false, 'a header without counts')
  t.equal(isCountedOut(undefined), true, 'no hunk before')
})

test('a problem of a reply is of no hunk, and names a file where one is given', async t => {
  t.same(replyProblem('malformed', 'why'), {
    path: null,
    hunk: null,
    reason: 'malformed',
    detail: 'why',
    hunkText: '',
    nearest: [],
  })
  t.match(replyProblem('truncated', 'why', { path: 'a.py', text: 'x' }), { path: 'a.py', hunkText: 'x' })
  t.match(badPathProblem('../"x"', 'y'), { path: null, reason: 'bad_path', hunkText: 'y' })
  t.ok(badPathProblem('../"x"', '').detail.startsWith('"../\\"x\\"" is no path that may be written'))
})

test('the problems of lines that nobody can place, and of files that are said to go, are told from others', async t => {
  const unplaced = unplacedProblem({ line: 1, lines: ['a', 'b'] })
  const deletion = deletionProblem('a.py', 'delete a.py')
  const other = replyProblem('malformed', 'why', { path: 'a.py' })
  t.same([unplaced, deletion, other].map(isUnplaced), [true, false, false])
  t.same([unplaced, deletion, other].map(isDeletion), [false, true, false])
})
