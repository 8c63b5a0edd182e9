import { test } from 'tap'
import { mapNumbers, numbersIn } from '../../bench/eval/numbers.ts'

const object = { a: 1, inner: { b: 2.5, deeper: { c: -3 } }, name: 'x' }

test('numbers of an object are known by their paths, in order', t => {
  t.same(
    [...numbersIn(object)],
    [
      ['a', 1],
      ['inner.b', 2.5],
      ['inner.deeper.c', -3],
    ],
  )
  t.end()
})

test('numbers are changed by their paths, in a copy', t => {
  const changed = mapNumbers(object, (number, path) => (path === 'inner.b' ? number * 2 : number))
  t.same(changed, { a: 1, inner: { b: 5, deeper: { c: -3 } }, name: 'x' })
  t.equal(object.inner.b, 2.5)
  t.end()
})
