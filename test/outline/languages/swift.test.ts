import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

test('Swift: initialisers, computed properties, extensions, interpolation', async t => {
  t.same(
    spans(
      'swift',
      `import Foundation
public extension A.B where T: C {
  @discardableResult
  static func f<T>(_ x: T) async throws
    -> [T] {
    return "\\(x.map { "}" })"
  }
  init?(x: Int) { self.init(x) }
  deinit { }
  var y: Int { get { 1 } }
  var z: Int = { 1 }()
  class func g() { }
  static func == (a: A, b: A) -> Bool { true }
}
protocol P { func f() -> Int }
enum E { case a; indirect case b(E) }
`,
    ),
    [
      'impl B 2-14',
      'function B/f 4-7',
      'function B/init 8-8',
      'function B/deinit 9-9',
      'function B/y 10-10',
      'function B/g 12-12',
      'function B/== 13-13',
      'interface P 15-15',
      'function P/f 15-15',
      'enum E 16-16',
    ],
  )
  t.same(importsOf('swift', 'import Foundation\nimport struct A.B\nimport let C.d\n'), [
    '1 Foundation',
    '2 A.B',
    '3 C.d',
  ])
})

test('Swift: initialisers and subscripts are declared, not called', async t => {
  t.same(
    spans(
      'swift',
      `class A {
  init() {}
  init?<T>(x: T) throws {}
  required init!(y: Int) { self.init() }
  subscript(i: Int) -> Int { 1 }
  func f() { A.init(); b = init(z) }
}
`,
    ),
    [
      'class A 1-7',
      'function A/init 2-2',
      'function A/init 3-3',
      'function A/init 4-4',
      'function A/subscript 5-5',
      'function A/f 6-6',
    ],
  )
})

test('Swift: a declaration goes on over lines that carry it', async t => {
  t.same(
    spans(
      'swift',
      `func a<T: B>(x: T)
  async throws
  -> C
  where T: D {
}
protocol E {
  func f(x: Int) -> String
  func g()
  var h: Int { get }
  init(i: Int)
}
typealias J = K
  & L
typealias M<T> =
  N
`,
    ),
    [
      'function a 1-5',
      'interface E 6-11',
      'function E/f 7-7',
      'function E/g 8-8',
      'function E/h 9-9',
      'function E/init 10-10',
      'type J 12-12',
      'type M 14-15',
    ],
  )
})

test('Swift: operators and quoted names', async t => {
  t.same(
    spans(
      'swift',
      'prefix func ! (a: A) -> A { a }\nstatic func <=> (a: A, b: A) -> A { a }\nfunc `in`() {}\nfunc (x) {}\nfunc f\n',
    ),
    ['function ! 1-1', 'function <=> 2-2', 'function in 3-3'],
  )
})

test('Swift: a property counts where it is computed', async t => {
  t.same(
    spans(
      'swift',
      `class A {
  var a: Int
  var b: Int = 1 {
    didSet {}
  }
  var c: [D<E>]? { nil }
  var d: F<G {
 }
  var e: (Int, H) -> I { { _, _ in } }
  private(set) var g:
    Int { 1 }
  var h, i: Int
}
`,
    ),
    ['class A 1-13', 'function A/c 6-6', 'function A/e 9-9', 'function A/g 10-11'],
  )
})

test('Swift: types of every kind; a member that is called so is none', async t => {
  t.same(
    spans(
      'swift',
      `extension A.B: C {}
extension D where E == F {}
struct G<T>: H where T: I {}
class func o() {}
actor Q {}
x.class Y {}
struct
Z {}
`,
    ),
    ['impl B 1-1', 'impl D 2-2', 'struct G 3-3', 'function o 4-4', 'class Q 5-5'],
  )
})

test('Swift: strings with hashes, of several lines and with expressions', async t => {
  t.same(
    spans('swift', 'let a = #"\\#("{")"#\nlet b = """\n  func no() {\n  """\nlet c = "\\(d("}"))"\nfunc e() {}\n'),
    ['function e 6-6'],
  )
})

test('Swift: declarations of every form', async t => {
  checkSpans(t, 'swift', [
    [
      'func a() { }\nfunc b<T: C>(d e: T) throws -> F where T: G { }\nstatic func h() async { }\nfunc i()\nfunc + (a: B, c: D) -> E { }\nfunc == (a: B) { }',
      'function a 1-1, function b 2-2, function h 3-3, function i 4-4, function + 5-5, function == 6-6',
    ],
    [
      'enum A: B { case c(D), e\n indirect case f\n func g() { } }\nprotocol H: I { func j()\n var k: L { get }\n associatedtype M }\nextension N: O where P == Q { func r() { } }\nactor S { func t() { } }',
      'enum A 1-3, function A/g 3-3, interface H 4-6, function H/j 4-4, function H/k 5-5, impl N 7-7, function N/r 7-7, class S 8-8, function S/t 8-8',
    ],
    ['typealias A = B<C>\nfunc d() { }', 'type A 1-1, function d 2-2'],
    ['let a = { (b: C) -> D in e }\nlet f = g { h }\nfunc i() { }', 'function i 3-3'],
    [
      'let a = "\\(b["}"]) {"\nlet c = """\n{ " \\("}")\n"""\nlet d = #"{ " \\("#\nlet e = ##"}"#"##\nfunc f() { }',
      'function f 7-7',
    ],
    ['/* { /* } */ */ func a() { } // {\nfunc b() { }', 'function a 1-1, function b 2-2'],
    ['@a(b: "}") @c public final func d() { }\n@e\nclass F { }', 'function d 1-1, class F 3-3'],
    ['#if A\nfunc b() { }\n#else\nfunc c() { }\n#endif', 'function b 2-2, function c 4-4'],
    [
      'func a() { func b() { }\n if c { } else { }\n guard d else { }\n switch e { case .f: g { } }\n for h in i { } }',
      'function a 1-5, function a/b 1-1',
    ],
    [
      'func a(b: C = { }()) { }\nfunc d(_ e: (F) -> G) rethrows { }\nfunc h() -> (I) -> J { }\nfunc k() -> some L { }',
      'function a 1-1, function d 2-2, function h 3-3, function k 4-4',
    ],
    ['macro a() = b\nprecedencegroup C { }\noperator + \nfunc d() { }', 'function d 4-4'],
    ['func', ''],
    ['func a', ''],
    ['func a(', 'function a 1-1'],
    ['func a() {', 'function a 1-1'],
    ['class', ''],
    ['class A', ''],
    ['class A {', 'class A 1-1'],
  ])
})
