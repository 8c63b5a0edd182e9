import { test } from 'tap'
import { FileState } from '../../../src/edits/apply/file-state.ts'
import type { Change } from '../../../src/edits/apply/hunk-changes.ts'
import { TooMuchWork } from '../../../src/edits/apply/line-index.ts'
import { joinFile, splitFile } from '../../../src/edits/text/file-lines.ts'
import { hunkOf } from '../../helpers/hunks.ts'

const stateOf = (text: string): FileState => new FileState(splitFile(text), { left: 1e6 })
const textOf = (state: FileState): string => joinFile(state.render())
const change = (before: number, deleted: number[], ...added: string[]): Change => ({
  before,
  deleted,
  added: added.map(text => ({ text, end: '\n' })),
})

test('changes are made on the lines of the file, each once', async t => {
  const state = stateOf('a\nb\nc\n')
  t.equal(state.isChanged, false)
  state.record([change(1, [1], 'B'), change(3, [], 'd')])
  state.record([change(3, [], 'e')])
  t.equal(state.isChanged, true)
  t.equal(textOf(state), 'a\nB\nc\nd\ne\n')
  t.same(state.newOf([change(1, [1], 'B'), change(1, [1], 'X')]), [change(1, [1], 'X')])
  t.equal(state.isTaken([change(0, [0]), change(1, [1], 'X')]), true)
  t.equal(state.isTaken([change(0, [0]), change(1, [], 'X')]), false)
})

test('a file that nothing changed is the same, and the last line ends as before', async t => {
  const state = stateOf('a\nb')
  t.equal(state.render(), state.file)
  state.record([change(2, [], 'c')])
  t.equal(textOf(state), 'a\nb\nc')
  const emptied = stateOf('a\n')
  emptied.record([change(0, [0])])
  t.equal(textOf(emptied), '')
  const filled = stateOf('')
  filled.record([change(0, [], 'a')])
  t.equal(textOf(filled), 'a\n')
})

test('the newline at the end and the byte order mark change only where it is said', async t => {
  const ended = stateOf('a')
  ended.endWithNewline(true)
  t.equal(textOf(ended), 'a\n')
  const cut = stateOf('a\r\nb\r\n')
  cut.record([change(0, [0])])
  cut.endWithNewline(false)
  t.equal(textOf(cut), 'b')
  const marked = stateOf('\uFEFFa\n')
  marked.record([change(0, [0], 'b')])
  t.equal(textOf(marked), '\uFEFFb\n')
  marked.mark(false)
  t.equal(textOf(marked), 'b\n')
  const unmarked = stateOf('a\n')
  unmarked.record([change(0, [0], 'b')])
  unmarked.mark(true)
  t.equal(textOf(unmarked), '\uFEFFb\n')
})

test('a hunk is found where its old side stands, at its number before elsewhere', async t => {
  const state = stateOf('x\n y\nz\ny\n')
  const find = (oldStart: number | null, ...lines: string[]): unknown => {
    const found = state.find({ ...hunkOf(lines), oldStart })
    return found && [found.tier, ...found.places.starts]
  }
  t.same(find(null, ' y', '+w'), ['exact', 3])
  t.same(find(4, ' y', '+w'), ['exact', 3])
  t.same(find(2, ' y', '+w'), ['prefix', 1], 'a context line without its prefix')
  t.same(find(3, ' y', '+w'), ['exact', 3], 'nothing like it there')
  t.same(find(2, '-y', '+w'), ['exact', 3], 'a removed line has its prefix')
  t.equal(find(null, '-nothing'), null)
  t.equal(find(null, '-nothing'), null, 'asked again')
})

test('a hunk may stand in the changed file only when all that it looks for is there or was added', async t => {
  const state = stateOf('a\nb\n')
  state.record([change(1, [], 'new line')])
  t.equal(state.mayHold(hunkOf([' a', '-new line', '+c'])), true)
  t.equal(state.mayHold(hunkOf(['   a', '-  new line'])), true, 'in another indentation')
  t.equal(state.mayHold(hunkOf([' a', ' ', '-b'])), true, 'a blank line')
  t.equal(state.mayHold(hunkOf([' a', ' ...', '-b'])), true, 'a gap')
  t.equal(state.mayHold(hunkOf([' a', '-gone'])), false)
})

test('a state of a long file costs work', async t => {
  try {
    t.fail(`${new FileState(splitFile('a\nb\n'), { left: 39 }).isChanged}`)
  } catch (error) {
    t.ok(error instanceof TooMuchWork)
  }
  t.ok(new FileState(splitFile('a\nb\n'), { left: 40 }))
})
