import { test } from 'tap'
import {
  afterAngles,
  closing,
  ExpressionEnds,
  indentedEnds,
  MAX_MODIFIERS,
  numbering,
  withModifiers,
} from '../../../src/outline/lexis/blocks.ts'
import { lexis, tokenizeSource } from '../../../src/outline/lexis/lexer.ts'
import type { Tokens } from '../../../src/outline/lexis/tokens.ts'

const BARE = lexis({ special: '', keywords: ['pub', 'async', 'fn'], reader: () => () => -1 })
const read = (text: string): Tokens => tokenizeSource(text, BARE)

test('a bracket that nothing closes goes on to the last token', async t => {
  t.equal(closing(read('( a )'), 0), 2)
  t.equal(closing(read('( a b'), 0), 2)
})

test('angles are passed as a whole, brackets in them included, or not at all', async t => {
  t.equal(afterAngles(read('<a, b<c>> d'), 0), 8)
  t.equal(afterAngles(read('<a(; >)> d'), 0), 7)
  t.equal(afterAngles(read('a < b'), 0), 0)
  t.equal(afterAngles(read('< b ; >'), 0), 0)
  t.equal(afterAngles(read('( < b ) >'), 1), 1)
  t.equal(afterAngles(read('< b'), 0), 0)
})

test('modifiers are taken in, one with arguments too', async t => {
  const modifiers = new Set([1, 2])
  t.equal(withModifiers(read('x pub async fn'), 3, modifiers), 1)
  t.equal(withModifiers(read('x pub(crate) fn'), 5, modifiers), 1)
  t.equal(withModifiers(read('x(pub) fn'), 4, modifiers), 4)
  t.equal(withModifiers(read('fn'), 0, modifiers), 0)
  const many = read(`${'pub '.repeat(100)}fn`)
  t.equal(withModifiers(many, 100, modifiers), 100 - MAX_MODIFIERS)
})

test('an expression ends before a separator or a bracket around it', async t => {
  const ends = (text: string, from: number): number => new ExpressionEnds(read(text), () => false).endOf(from)
  t.equal(ends('a (b, c) d; e', 0), 6)
  t.equal(ends('(a b) c', 1), 2)
  t.equal(ends('a b, c', 0), 1)
  t.equal(ends('a b', 0), 1)
})

test('an expression is read once, also from within it', async t => {
  let asked = 0
  const tokens = read('a\nb\nc\nd')
  const ends = new ExpressionEnds(tokens, () => {
    asked++
    return false
  })
  t.equal(ends.endOf(0), 3)
  t.equal(ends.endOf(2), 3)
  t.equal(asked, 3)
  t.equal(ends.endOf(2, 1), 3)
  t.ok(asked > 3, 'another base is another question')
})

test('by indentation an expression goes on over deeper lines', async t => {
  t.equal(indentedEnds(read('a\n  b\n  c\nd')).endOf(0, 0), 2)
  t.equal(indentedEnds(read('a\n  b\n  c\nd')).endOf(1, 2), 1)
})

test('keywords are numbered from one', async t => {
  const id = numbering(['a', 'b'])
  t.same([id('a'), id('b'), id('c')], [1, 2, -1])
})
