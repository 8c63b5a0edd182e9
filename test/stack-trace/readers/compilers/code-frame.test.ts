import { test } from 'tap'
import { newFrame } from '../../../../src/stack-trace/frames.ts'
import { addCodeAbove, codeFrameLine } from '../../../../src/stack-trace/readers/compilers/code-frame.ts'

test('a line of a code frame: its number, its code, and whether it is marked', async t => {
  t.same(codeFrameLine('> 12 |   pay()'), { line: 12, text: '  pay()', isMarked: true })
  t.same(codeFrameLine('  13 \u2502 }'), { line: 13, text: '}', isMarked: false })
  t.same(codeFrameLine('14: end'), { line: 14, text: 'end', isMarked: false })
  t.same(codeFrameLine('     |   ^^^'), { line: null, text: '   ^^^', isMarked: false })
  t.equal(codeFrameLine('the shop is slow'), null)
  t.equal(codeFrameLine(''), null)
})

const ROWS = (): Parameters<typeof addCodeAbove>[3] => [
  newFrame('at main', { file: 'main.ts', line: 12 }),
  newFrame('at pay', { file: 'cart.ts', line: 12 }),
  newFrame('at add', { file: 'cart.ts', line: 3 }),
]

function codeOf(lines: string[], floor = 0): Array<string | null> {
  const rows = ROWS()
  addCodeAbove({ lines, stamped: new Uint8Array(lines.length) }, floor, lines.length, rows)
  return rows.map(({ sourceText }) => sourceText)
}

test('the marked line is the code of the innermost frame at that line', async t => {
  t.same(codeOf(['  11 | {', '> 12 |   pay()', '  13 | }']), [null, 'pay()', null])
})

test('so is the line above its carets', async t => {
  t.same(codeOf(['  3 |   add()', '    |   ^^^^']), [null, null, 'add()'])
})

test('code below the floor, without a mark, or of another line belongs to no frame', async t => {
  t.same(codeOf(['> 12 | pay()', 'Error: no'], 1), [null, null, null])
  t.same(codeOf(['  12 | pay()']), [null, null, null])
  t.same(codeOf(['> 99 | pay()']), [null, null, null])
  t.same(codeOf(['> 12 |   ']), [null, null, null])
})
