import { test } from 'tap'
import { ClosingTags } from '../../../src/edits/read/closing-tags.ts'
import { readTaggedEdit } from '../../../src/edits/read/tagged-edit.ts'
import { fieldOf, readToolCall } from '../../../src/edits/read/tool-call.ts'

const read = (text: string): unknown => {
  const lines = text.split('\n')
  return readTaggedEdit(lines, 0, new ClosingTags(lines))?.read ?? null
}

test('fields between tags make an edit', async t => {
  const hunk = (...texts: string[]): object => ({
    diffs: [{ newPath: 'a', hunks: [{ lines: texts.map(text => ({ text })) }] }],
  })
  t.match(read('<edit path="a">\n<old>x</old>\n<new>y</new>\n</edit>'), hunk('x', 'y'))
  t.match(
    read('<edit>\n<file>a</file>\n<search>\nx\nz\n</search>\n<replace>\ny\nz\n</replace>\n</edit>'),
    hunk('x', 'y', 'z'),
  )
  t.match(
    read('<edit path="a">\n<reason>so</reason>\n<old>\n```py\nx\n```\n</old>\n<new>y</new>\n</edit>'),
    hunk('x', 'y'),
  )
  t.match(read('  <edit path="a">\n<old>x</old>\n<new></new>\n</edit>\n  </edit>'), hunk('x'))
})

test('the file of an edit is an attribute of its tag, of a call any but its name', async t => {
  const fields = '<old>x</old>\n<new>y</new>'
  const a = { diffs: [{ newPath: 'a' }] }
  t.match(read(`<edit name="a">\n${fields}\n</edit>`), a)
  t.match(read(`<invoke name="edit" path="a">\n${fields}\n</invoke>`), a)
})

test('commands are read between tags of one line, also the first', async t => {
  const deletion = { deletions: [{ path: 'a.txt' }] }
  t.match(read('<bash>rm a.txt</bash>'), deletion)
  t.match(read('<bash>\nrm a.txt\n</bash>'), deletion)
})

test('what is not all understood is asked about', async t => {
  for (const text of [
    '<edit path="a">\nx = 1\n</edit>',
    '<edit>\n<old>x</old>\n<new>y</new>\n</edit>',
    '<edit path="a">\n<old>x</old>\n</edit>',
    '<edit path="a">\n<old>x\n<new>y</new>\n</edit>',
    '<edit path="a">\n<old>x</old>\n<old>z</old>\n<new>y</new>\n</edit>',
    '<change>\n<what>so</what>\n</change>',
  ]) {
    t.same(read(text), { unplaced: true }, text)
  }
})

test('a tag that has no edit, or does not end, is none', async t => {
  for (const text of ['<p>', '<edit path="a">', '<edit path="a">x</edit>', 'x', '']) t.equal(read(text), null, text)
  t.same(read('<invoke name="bash">\n<parameter name="cmd">ls</parameter>\n</invoke>'), { aside: 'command' })
})

test('fields have many names', async t => {
  t.same(['file_path', 'oldStr', 'new-text', 'fileText', 'x'].map(fieldOf), ['path', 'old', 'new', 'content', null])
  t.same(readToolCall('view', [['path', 'a']], 0), { aside: 'command' })
  t.same(
    readToolCall(
      'delete',
      [
        ['path', 'a'],
        ['content', 'x'],
      ],
      0,
    ),
    { unplaced: true },
  )
  t.match(
    readToolCall(
      '',
      [
        ['path', '/a'],
        ['content', 'x'],
      ],
      0,
    ),
    { problems: [{ reason: 'bad_path' }] },
  )
})
