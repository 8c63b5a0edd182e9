import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

test('Kotlin: expression bodies, receivers, companions, names in backticks', async t => {
  t.same(
    spans(
      'kotlin',
      `import a.b.C as D
sealed interface A { fun f(): Int }
data class B(
  val x: Int = { 1 }(),
) : A {
  override fun f() = when (x) {
    1 -> "\${if (x) "}" else ""}"
    else -> ""
  }
    .length
  fun <T> List<T>.\`it works\`(y: T): T
    where T : Any {
    return y
  }
  companion object { const val Z = 1 }
  private val g = fun (a: Int) { }
}
object O
enum class E { A }
typealias F = (Int) -> Unit
fun last() = B::class
`,
    ),
    [
      'interface A 2-2',
      'function A/f 2-2',
      'class B 3-17',
      'function B/f 6-10',
      'function B/it works 11-14',
      'object B/Companion 15-15',
      'object O 18-18',
      'enum E 19-19',
      'type F 20-20',
      'function last 21-21',
    ],
  )
  t.same(importsOf('kotlin', 'import a.b.C as D\nimport a.b.*\n'), ['1 a.b.C', '2 a.b.*'])
})

test('Kotlin: a receiver may stand in parentheses', async t => {
  t.same(
    spans('kotlin', 'fun (() -> Unit).twice() { this() }\nfun (String?).orNone(): String = this ?: ""\nfun g() {}\n'),
    ['function twice 1-1', 'function orNone 2-2', 'function g 3-3'],
  )
  checkSpans(t, 'kotlin', [
    ['fun (() -> Unit)?.twice() { }\nfun (A)?.b() = 1', 'function twice 1-1, function b 2-2'],
    ['fun <T> (T.() -> A).b(c: T) { }\nfun (A) { }\nfun (B)? { }', 'function b 1-1'],
  ])
})

test('Kotlin: declarations of every form', async t => {
  checkSpans(t, 'kotlin', [
    [
      'fun a() { }\nfun b() = 1\nfun <T> c(d: T): E<T> = f\ninline fun <reified T> g() { }\nfun H.i() { }\nfun H<J>.k() { }\nfun H?.l() { }',
      'function a 1-1, function b 2-2, function c 3-3, function g 4-4, function i 5-5, function k 6-6, function l 7-7',
    ],
    [
      'suspend fun a(b: (C) -> D = { }): E { }\nfun interface F { fun g() }',
      'function a 1-1, interface F 2-2, function F/g 2-2',
    ],
    [
      'class A(val b: C = D { }) : E(f), G { }\ndata class H(val i: J)\nsealed class K\nopen class L<T : M>\nenum class N { O, P { fun q() { } }; fun r() { } }\nannotation class S\nvalue class T(val u: V)',
      'class A 1-1, class H 2-2, class K 3-3, class L 4-4, enum N 5-5, function N/q 5-5, function N/r 5-5, class S 6-6, class T 7-7',
    ],
    [
      'object A { fun b() { } }\ncompanion object { }\nclass C { companion object { fun d() { } }\n companion object E { } }\nval f = object : G { fun h() { } }',
      'object A 1-1, function A/b 1-1, object Companion 2-2, class C 3-4, object C/Companion 3-3, function Companion/d 3-3, object C/E 4-4, function h 5-5',
    ],
    [
      'val a: B get() = c\nval d: E\n  get() { }\nvar f: G = h\n  set(i) { }\nval j by lazy { }\nfun k() { }',
      'function k 7-7',
    ],
    ['val a = { b: C -> d }\nval e = fun(f: G): H { }\nfun i() { }', 'function i 3-3'],
    ['class A { init { b() }\n constructor(c: D) : this() { }\n fun e() { } }', 'class A 1-3, function A/e 3-3'],
    [
      'fun a() {\n  fun b() { }\n  if (c) { } else { }\n  when (d) { e -> { } }\n  f { g }\n}',
      'function a 1-6, function a/b 2-2',
    ],
    ['typealias A = B<C>\nfun d() { }', 'type A 1-1, function d 2-2'],
    ['fun a() =\n  b\n    .c()\nfun d() { }', 'function a 1-3, function d 4-4'],
    ['fun a(b: C)\nabstract fun d()\nfun e() { }', 'function a 1-1, function d 2-2, function e 3-3'],
    ['@A("}") fun b() { }\n@C\nclass D', 'function b 1-1, class D 3-3'],
    ['fun `a b`() { }\nclass `C`', 'function a b 1-1, class C 2-2'],
    [`val a = "$\{b { "}" }} $c {"\nval d = """{ " $\{"}"} """\nval e = '{'\nfun f() { }`, 'function f 4-4'],
    ['/* { /* } */ */ fun a() { } // {\nfun b() { }', 'function a 1-1, function b 2-2'],
    [
      'interface A<in T, out U> : B where T : C { fun d() }\nfun e() where T : F { }',
      'interface A 1-1, function A/d 1-1, function e 2-2',
    ],
    ['a.fun()\nval fun_ = 1\nb.class\nC::class\nfun d() { }', 'function d 5-5'],
    ['fun', ''],
    ['fun a', ''],
    ['fun a(', ''],
    ['fun a() {', 'function a 1-1'],
    ['class', ''],
    ['class A(', 'class A 1-1'],
    ['class A {', 'class A 1-1'],
  ])
  t.same(importsOf('kotlin', 'import a.b\nimport c.D as E\nimport f.*\n'), ['1 a.b', '2 c.D', '3 f.*'])
})
