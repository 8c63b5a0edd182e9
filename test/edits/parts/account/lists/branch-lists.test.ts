import { test } from 'tap'
import { branchLists } from '../../../../../src/edits/parts/account/lists/branch-lists.ts'

const branches = (text: string): unknown =>
  branchLists(text.split('\n')).map(({ lead, items }) => [lead, ...items.map(item => item.text)])

test('a choice goes on behind others that stand in its branches, however many end at once', async t => {
  const text =
    'match x:\n    case "a":\n        match y:\n            case "one":\n                match z:\n' +
    '                    case "far":\n                        return 1\n    case "b":\n        return 2\n'
  t.same(branches(text), [
    ['match x:', '"a"', '"b"'],
    ['match y:', '"one"'],
    ['match z:', '"far"'],
  ])
})

test('what is as deep as a choice ends it, except its branches', async t => {
  t.same(branches('switch x {\ncase 1:\n\tf()\ncase 2:\n}\ncase 3:\n'), [['switch x {', '1', '2']])
  t.same(branches('switch (x) {\n  case 1:\n    go(y => z)\n}\n'), [['switch (x) {', '1']])
  t.same(branches(`match x:\n    case 1:\n        ${'y'.repeat(501)}\n    case ${'z'.repeat(501)}:\n`), [
    ['match x:', '1'],
  ])
})
