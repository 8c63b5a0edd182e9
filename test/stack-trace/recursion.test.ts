import fc from 'fast-check'
import { test } from 'tap'
import { collapseRecursion } from '../../src/stack-trace/recursion.ts'
import { newFrame } from '../../src/stack-trace/frames.ts'

const frames = (names: string) =>
  [...names].map((name, index) => newFrame(`#${index} ${name}`, { file: 'a.c', line: 1, function: name }))
const shown = (names: string) =>
  collapseRecursion(frames(names))
    .map(({ function: name, repeat }) => (repeat > 1 ? `${name}${repeat}` : name))
    .join(' ')

test('a frame that calls itself is one frame with a count', async t => {
  t.equal(shown('mffffg'), 'm f4 g')
})

test('cycles of two to five frames are one cycle with counts', async t => {
  t.equal(shown('mababab'), 'm a3 b3')
  t.equal(shown('abcabcx'), 'a2 b2 c2 x')
  t.equal(shown('abcdabcd'), 'a2 b2 c2 d2')
  t.equal(shown('abcdeabcdea'), 'a2 b2 c2 d2 e2 a')
  t.equal(shown('abcdefabcdef'), 'a b c d e f a b c d e f')
})

test('no call is lost: the counts sum up to the frames', async t => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), names => {
      const collapsed = collapseRecursion(frames(names.join('')))
      return collapsed.reduce((sum, { repeat }) => sum + repeat, 0) === names.length
    }),
  )
  t.pass('whatever the order')
})

test('frames of nothing but their text are equal when the text is', async t => {
  t.equal(collapseRecursion([newFrame('at a', {}), newFrame('at a', {}), newFrame('at b', {})]).length, 2)
})
