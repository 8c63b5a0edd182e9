import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

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

test('a function that is a value in a class or an object is no method with that name', async t => {
  checkSpans(t, 'javascript', [
    [
      'class A {\n  static b = function () {}\n  c = async function () {}\n}',
      'class A 1-4, function A/b 2-2, function A/c 3-3',
    ],
    ['a = { b: c || function () {}, d: [function () {}] }', ''],
    [
      'class A { function () {} }\nb = { function () {}, c, function () {} }',
      'class A 1-1, function A/function 1-1, function function 2-2, function function 2-2',
    ],
    ['class A { b () {} function () {} }', 'class A 1-1, function A/b 1-1, function A/function 1-1'],
    ['class A { b = 1; function () {} }', 'class A 1-1, function A/function 1-1'],
  ])
})

test('JavaScript: functions and classes of every form', async t => {
  checkSpans(t, 'javascript', [
    [
      'function a () {}\nfunction * b () {}\nasync function c () {}\nexport default function () {}',
      'function a 1-1, function b 2-2, function c 3-3',
    ],
    [
      'const a = function () {}, b = function c () {}, d = async function () {}',
      'function a 1-1, function b 1-1, function d 1-1',
    ],
    ['let a = b => c\nvar d = async e => {\n}\nf = (g, h) => ({\n})', 'function a 1-1, function d 2-3, function f 4-5'],
    ['a.b.c = () => {}\na[b] = () => {}', 'function c 1-1'],
    ['const a = b ? () => {} : c', ''],
    ['a = { b: c ? d : () => {}, e: f ? "g" : function () {}, h: () => {} }', 'function h 1-1'],
    [
      'class A { b () {} static c () {} async d () {} *e () {} async *f () {} get g () {} set h (i) {} #j () {} [k] () {} "l" () {} 1 () {} }',
      'class A 1-1, function A/b 1-1, function A/c 1-1, function A/d 1-1, function A/e 1-1, function A/f 1-1, function A/g 1-1, function A/h 1-1, function A/#j 1-1, function A/l 1-1',
    ],
    [
      'class A { b = () => {}\n static c = function () {}\n d = 1\n #e = async () => {} }',
      'class A 1-4, function A/b 1-1, function A/c 2-2, function A/#e 4-4',
    ],
    [
      'class A extends b.C { }\nclass D extends (e, F) { }\nconst G = class { }\nconst H = class I { }\nexport default class { }\nexport default class J { }',
      'class A 1-1, class D 2-2, class G 3-3, class I 4-4, class J 6-6',
    ],
    ['class A { static { b() } c () {} }', 'class A 1-1, function A/c 1-1'],
    [
      'const a = { b () {}, c: () => {}, d: function () {}, async e () {}, get f () {}, "g": () => {}, 1: () => {}, [h]: () => {} }',
      'function b 1-1, function c 1-1, function d 1-1, function e 1-1, function f 1-1, function g 1-1, function 1 1-1',
    ],
    ['f({ a () {}, b: () => {} })', 'function a 1-1, function b 1-1'],
    ['return { a () {} }', 'function a 1-1'],
    ['export default { a () {}, b: { c () {} } }', 'function a 1-1, function c 1-1'],
    ['x = [{ a () {} }]', 'function a 1-1'],
    ['if (a) { b () }\nc: { d () }\nswitch (e) { case 1: { f () } }', ''],
    ['a ? { b () {} } : { c () {} }', 'function b 1-1, function c 1-1'],
    ['a = b\n  ? { c () {} }\n  : { d () {} }', 'function c 2-2, function d 3-3'],
    ['new A(function () {})\nnew B (c) { }', ''],
    ['if (a) function b () {}', 'function b 1-1'],
    ['a.function(b) { }', ''],
    ['a.class = 1\nb.import = 2', ''],
    ['const { a = () => {} } = b', 'function a 1-1'],
    ['function f (a = () => {}, { b = () => {} }) {}', 'function f 1-1'],
    ['async (a) => {}\nasync => {}\nconst b = async => 1', 'function b 3-3'],
    ['const a = () =>\n  b\n  .c\nfunction d () {}', 'function a 1-3, function d 4-4'],
    ['const a = () => b, c = 1\nconst d = () => e;function f () {}', 'function a 1-1, function d 2-2, function f 2-2'],
    ['a = () => [\n]\nb', 'function a 1-2'],
    ['const a = () => {\n}, b = () => {\n}', 'function a 1-2, function b 2-3'],
    ['type = 1\ninterface = 2\nmodule.exports = a\nnamespace\nfoo()', ''],
    ['function', ''],
    ['function a', ''],
    ['function a (', ''],
    ['function a () {', 'function a 1-1'],
    ['class', ''],
    ['class A', ''],
    ['class A {', 'class A 1-1'],
    ['const a = (', ''],
    ['const a = () =>', 'function a 1-1'],
    ['const a = {', ''],
    ['a = class', ''],
  ])
})

test('TypeScript: words that declare types, and the same words as names', async t => {
  checkSpans(t, 'typescript', [
    [
      "interface A { b: c }\nenum D { E }\nnamespace F.G { function h() { } }\ntype I = { j: k }\ninterface L<M> extends N { o(): p }\ninterface Q extends R { }\nmodule 's' { }\ndeclare module T { }\ndeclare global { }\ntype U<V> = W |\n  X\nconst enum Y { Z }",
      'interface A 1-1, enum D 2-2, module F.G 3-3, function F.G/h 3-3, type I 4-4, interface L 5-5, interface Q 6-6, module s 7-7, module T 8-8, type U 10-11, enum Y 12-12',
    ],
    [
      'interface\nA { }\nenum = 1\nenum(b)\ntype\nC = 1\nnamespace\nD { }\nmodule.exports = { }\ntype = 2\ninterface instanceof E\nenum in F\nnamespace(g)\nmodule 5 { }\ninterface = { }\nenum { }\ntype(h)',
      '',
    ],
    ['const a = <T extends B>(c: T) => { }\nfunction d() { }', 'function a 1-1, function d 2-2'],
  ])
})

test('TypeScript: imports of every form, and what is none', async t => {
  t.same(
    importsOf(
      'typescript',
      "import { type } from 'a'\nimport { type as b, c } from 'd'\nimport { type type } from 'e'\nimport { type f, g as h } from 'i'\nimport type { j } from 'k'\nimport type from 'l'\nexport type { m } from 'n'\nimport * as o from 'p'\nimport q, * as r from 's'\nexport * from 't'\nexport * as u from 'v'\nimport { w } from x\nimport('y')\nimport(z)",
    ),
    [
      '1 a {type}',
      '2 d {type as c}',
      '3 e {type}',
      '4 i {f g}',
      '5 k {j}',
      '6 l {type}',
      '7 n {m}',
      '8 p',
      '9 s {q}',
      '10 t',
      '11 v',
      '13 y',
    ],
  )
  t.same(
    importsOf(
      'typescript',
      "import a from 'b'\nexport { c } from 'd'\nconst e = require('f')\nexport default function g() { }\nimport.meta.url\nx.import('y')\nx.require('z')",
    ),
    ['1 b {a}', '2 d {c}', '3 f'],
  )
})

test('JavaScript: elements, comparisons and functions as values', async t => {
  checkSpans(t, 'javascript', [
    ['const a = <br/>\nfunction b() { }', 'function b 2-2'],
    ["const a = <b c={'}'} />\nfunction d() { }", 'function d 2-2'],
    ["const a = <b>{'}'} don't</b>\nfunction d() { }", 'function d 2-2'],
    ['const a = b <c> d\nfunction e() { }', 'function e 2-2'],
    ['if (a <b && c> d) { }\nfunction e() { }', 'function e 2-2'],
    ['const a = <></>\nfunction b() { }', 'function b 2-2'],
    ["const a = <b><c d='}'/> { </b>\nfunction e() { }", 'function e 2-2'],
    ['return <b\n>x}</b>\nfunction e() { }', 'function e 3-3'],
    [
      "a ? b : function c() { }\nd: function e() { }\nconst f = { g: function () { }, h: () => { }, 'i': function () { } }",
      'function c 1-1, function e 2-2, function g 3-3, function h 3-3, function i 3-3',
    ],
  ])
})

test('JavaScript: imports of every form, and what is none', async t => {
  t.same(
    importsOf(
      'javascript',
      "const { a, b: c, d: { e }, f = g(h) } = require('i')\nrequire('j')\nconst k = require('l').m\nrequire(n)\nconst [o] = require('p')\nvar q = { r } = require('s')",
    ),
    ['1 i {a b d f}', '2 j', '3 l', '5 p', '6 s {r}'],
  )
  t.same(
    importsOf(
      'javascript',
      "import a from 'b'\nexport { c } from 'd'\nconst e = require('f')\nexport default function g() { }\nimport.meta.url\nx.import('y')\nx.require('z')",
    ),
    ['1 b {a}', '2 d {c}', '3 f'],
  )
})

test('a class and what is required as values in a class or an object', async t => {
  checkSpans(t, 'javascript', [
    ['class A {\n  b = class C { d () {} }\n}', 'class A 1-3, class A/C 2-2, function C/d 2-2'],
    ['a = { b: class C { d () {} }, e: 1 }', 'class C 1-1, function C/d 1-1'],
    [
      'class A {\n  b = function () { class C { d () {} } }\n}',
      'class A 1-3, function A/b 2-2, class b/C 2-2, function C/d 2-2',
    ],
    ['a = {\n  b\n  : () => {\n  }\n}', 'function b 2-4'],
  ])
  t.same(importsOf('javascript', "a = { b: require('c'), d: require('e').f }"), ['1 c', '1 e'])
})

test('a function with a name that is part of a value in a class or an object is there once', async t => {
  checkSpans(t, 'javascript', [
    ['class A {\n  b = c || function d () {}\n}', 'class A 1-3, function A/d 2-2'],
    ['a = { b: c && function* d () {}, e: [async function f () {}] }', 'function d 1-1, function f 1-1'],
    [
      'a = { b: function c () {}, d: async function e () {}, f: function* g () {} }',
      'function b 1-1, function b/c 1-1, function d 1-1, function d/e 1-1, function f 1-1, function f/g 1-1',
    ],
    [
      'class A { function () {} *b () {} c () {} }',
      'class A 1-1, function A/function 1-1, function A/b 1-1, function A/c 1-1',
    ],
  ])
})
