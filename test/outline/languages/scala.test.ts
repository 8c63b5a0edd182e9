import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

test('Scala: braces, expressions and blocks by indentation', async t => {
  t.same(
    spans(
      'scala',
      `import a.b.{C, D as E}
case class A(x: Int) extends B {
  def f(y: Int): Int = {
    y
  }
  def g = x match
    case 1 => 'a'
    case _ => s"\${"}"}"

  def +(o: A): A
}
object O:
  def h =
    1

  type T = Int
trait U
`,
    ),
    [
      'class A 2-11',
      'function A/f 3-5',
      'function A/g 6-8',
      'function A/+ 10-10',
      'object O 12-16',
      'function O/h 13-14',
      'type O/T 16-16',
      'trait U 17-17',
    ],
  )
  t.same(importsOf('scala', 'import a.b.{C, D as E}\nimport x.y.Z, p.q\n'), ['1 a.b {C D}', '2 x.y.Z', '2 p.q'])
})

test('Scala: a header goes on over lines that carry it', async t => {
  t.same(
    spans(
      'scala',
      `class A(x: Int)
    extends B
    with C
class D
  extends E:
  def f = 1

class G(
  x: Int
) extends H
trait I extends J
{ }
`,
    ),
    ['class A 1-3', 'class D 4-6', 'function D/f 6-6', 'class G 8-10', 'trait I 11-12'],
  )
})

test('Scala: a function ends with its value, or with its type where it has none', async t => {
  t.same(
    spans(
      'scala',
      `def a(x: Int)
  (y: Int)
  : Int =
  x
def b: Int
def c
  = 1
def d = { 1 }.e
def f = {
  1
}
val x = 1
`,
    ),
    ['function a 1-4', 'function b 5-5', 'function c 6-7', 'function d 8-8', 'function f 9-11'],
  )
})

test('Scala: names of any kind', async t => {
  t.same(spans('scala', 'class `H i`\ntype J[K] = L\ndef ++(x: A) = 1\ndef this(x: Int) = this()\nobject -\n'), [
    'class H i 1-1',
    'type J 2-2',
    'function ++ 3-3',
    'function this 4-4',
  ])
  t.same(spans('scala', 'x.type\na.b.class\n#def\nend def\ndef\n  a\nclass object\n'), [])
})

test('Scala: imports go on behind a comma or a dot', async t => {
  t.same(
    importsOf('scala', 'import a.{b => c, _}\nimport a.b, c.d,\n  e.f\nimport a.b.\n  c\nimport a._; def g = 1\n'),
    ['1 a {b _}', '2 a.b', '2 c.d', '2 e.f', '4 a.b.c', '6 a._'],
  )
  t.same(importsOf('scala', 'import a.{b, c\n'), [], 'one that is never closed takes nothing')
})

test('Scala: characters, symbols and strings with expressions', async t => {
  const text = `def a = 'b' + '\\'' + 'c + s"\${"}"}" + s"""\${"}"}""" + """}"""" + "}"
def d = 1
`
  t.same(spans('scala', text), ['function a 1-1', 'function d 2-2'])
})

test('Scala: declarations of every form', async t => {
  checkSpans(t, 'scala', [
    [
      'def a = 1\ndef b(c: D): E = {\n}\ndef f[G](h: G)(i: J): K\nprivate[l] def m: N = o',
      'function a 1-1, function b 2-3, function f 4-4, function m 5-5',
    ],
    [
      'class A(b: C) extends D(e) with F {\n}\ncase class G[H](i: H)\nobject J {\n}\ncase object K\ntrait L {\n}\nsealed abstract class M\npackage object n {\n}',
      'class A 1-2, class G 3-3, object J 4-5, object K 6-6, trait L 7-8, class M 9-9, object n 10-11',
    ],
    [
      'object A {\n  def b = c match {\n    case d => e\n  }\n  val f = new G {\n    def h = 1\n  }\n}',
      'object A 1-8, function A/b 2-4, function A/h 6-6',
    ],
    [
      'enum A:\n  case B, C(d: Int)\n\ngiven e: F with\n  def g = 1\n\nextension (h: I)\n  def j = 1\n',
      'enum A 1-2, function g 5-5, function j 8-8',
    ],
    ['type A = B\ntype C[D] = E\nopaque type F = G', 'type A 1-1, type C 2-2, type F 3-3'],
    [`val a = "$\{b}" + s"$\{c { "}" }} {" + """{ " """\nval d = '{'\nval e = 'f\ndef g = 1`, 'function g 4-4'],
    ['/* { /* } */ */ def a = 1 // {\ndef b = 2', 'function a 1-1, function b 2-2'],
    ['def a = b.c\n  .d\n  + e\ndef f = 1', 'function a 1-3, function f 4-4'],
    ['def a(\n    b: C = D { 1 },\n): E =\n  f\ndef g = 1', 'function a 1-4, function g 5-5'],
    ['@a("}") def b = 1\n@c\nclass D', 'function b 1-1, class D 3-3'],
    [
      'def a: B = {\n  def c = 1\n}\nlazy val d = { e }\nimplicit def f = 1\noverride def g = 1\ninline def h = 1',
      'function a 1-3, function a/c 2-2, function f 5-5, function g 6-6, function h 7-7',
    ],
    ['a.def_\nb.type\ndef c = 1', 'function c 3-3'],
    [
      'implicit class A(b: C) { def d = 1 }\nabstract class E { def f: G; def h }',
      'class A 1-1, function A/d 1-1, class E 2-2, function E/f 2-2, function E/h 2-2',
    ],
    ['def', ''],
    ['def a', 'function a 1-1'],
    ['def a(', 'function a 1-1'],
    ['def a = {', 'function a 1-1'],
    ['class A', 'class A 1-1'],
    ['class A {', 'class A 1-1'],
    ['object', ''],
  ])
})

test('Scala: a definition without anything behind its "=" ends there', async t => {
  t.same(spans('scala', 'def f =\ndef g =\n  1\n'), ['function f 1-1', 'function g 2-3'])
  t.same(spans('scala', 'def f ='), ['function f 1-1'])
})
