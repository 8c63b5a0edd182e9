import { test } from 'tap'
import { spans } from '../spans.ts'

test('functions by declaration and by the name they are given', async t => {
  t.same(
    spans(
      'javascript',
      `export default async function a (x) {
  function b () { return '}' }
}
const c = (x) => {
  return x
}, d = async y =>
  y.then(z)
exports.e = function () {
}
Foo.prototype.f = function* g () {
}
const notOne = call(function () { return 1 })
const h = { i () {
}, j: () => 1, 'k-l': function () {
}, get m () { return 1 } }
`,
    ),
    [
      'function a 1-3',
      'function a/b 2-2',
      'function c 4-6',
      'function d 6-7',
      'function e 8-9',
      'function f 10-11',
      'function i 13-14',
      'function j 14-14',
      'function k-l 14-15',
      'function m 15-15',
    ],
  )
})

test('methods of classes, and no calls', async t => {
  t.same(
    spans(
      'javascript',
      `class A extends mixin({ b () {} }) {
  #x = 1
  constructor (y) { super(y) }
  static async *z (a = {}, { b } = {}) {
    if (a) { foo(b) }
    for (const c of b) { while (c) { } }
  }
  w = (v) => {
    return v
  }
}
module.exports = class extends B { q () {} }
`,
    ),
    [
      'class A 1-11',
      'function A/b 1-1',
      'function A/constructor 3-3',
      'function A/z 4-7',
      'function A/w 8-10',
      'class exports 12-12',
      'function exports/q 12-12',
    ],
  )
})

test('JSX: a comment in a tag is none of its ends', async t => {
  t.same(spans('javascript', 'const a = () => <a /* > { */ b={() => 1}/>\nfunction g () {}\n'), [
    'function a 1-1',
    'function g 2-2',
  ])
})
