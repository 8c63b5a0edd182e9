import { test } from 'tap'
import { joinLines } from '../../../src/edits/join/repeated-lines.ts'

test('lines that say enough are in the text once, and all others twice', async t => {
  const dropped: Array<[before: string, more: string, text: string]> = [
    ['const total = 1\n', 'const total = 1\nb\n', 'const total = 1\nb\n'],
    ['a = 1234567\n', 'a = 1234567\nb\n', 'a = 1234567\nb\n'],
    ['abc', 'abcd', 'abcd'],
    ['  }', '  }\n', '  }\n'],
    ['one\nfirst line\nsecond li', '\none\nfirst line\nsecond line', 'one\nfirst line\nsecond line'],
  ]
  for (const [before, more, text] of dropped) {
    t.same(joinLines(before, more), { text, repeats: true }, JSON.stringify(more))
  }
  const kept: Array<[before: string, more: string]> = [
    ['}\n', '}\nb\n'],
    ['a = 123456\n', 'a = 123456\nb\n'],
    ['row of 10\nrow of 10\n', 'row of 10\n'],
    ['ab', 'abc'],
    ['000', '0001'],
    ['  }', '\n  }\n'],
    ['first line\nsecond li', '\n\nfirst line\nsecond line'],
  ]
  for (const [before, more] of kept) {
    t.same(joinLines(before, more), { text: before + more, repeats: false }, JSON.stringify(more))
  }
})

test('an indentation that was cut is gone on with, or begun anew', async t => {
  t.equal(joinLines('if x:\n  ', '  y()\n').text, 'if x:\n    y()\n', 'the other half of it')
  t.equal(joinLines('if x:\n    ', '    y()\n').text, 'if x:\n    y()\n', 'deeper than a block is')
  t.equal(joinLines('call(\n    ', '    y)\n').text, 'call(\n        y)\n', 'in brackets it may be as deep as it likes')
  const item = 'steps:\n  - name: a\n '
  t.equal(joinLines(item, '   run: b\n').text, `${item}   run: b\n`, 'as deep as what stands in the item above')
  const shell = 'if a\n  then\n '
  t.equal(joinLines(shell, '   return\n    b\n').text, `${shell}   return\n    b\n`, 'as deep as another line')
  t.equal(joinLines('if x:\n  ', '  y()\n', { isBehindFence: true }).text, 'if x:\n  y()\n')
})

test('the beginning of a line that was stripped of its blanks is known again', async t => {
  t.equal(joinLines('x\n    return total(a', 'return total(a, b)\n').text, 'x\n    return total(a, b)\n')
  t.equal(joinLines('x\n    retu', 'retu').text, 'x\n    returetu', 'so little may be chance')
})
