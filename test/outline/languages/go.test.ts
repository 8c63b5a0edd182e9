import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

test('Go: receivers, generics, groups of types, bodies elsewhere', async t => {
  t.same(
    spans(
      'go',
      `package a
func (r *R[T]) F(x func(int) error, y interface{}) (a map[string]struct{}, err error) {
\tf := func() { return }
\tswitch v := x.(type) { }
\treturn
}
func G[T any](x T) interface{} {
\ttype local struct{ a int }
\treturn \`}\`
}
func asm(x int) int
type (
\tA struct {
\t\tf func()
\t}
\tB = C
)
type I interface { M() }
`,
    ),
    [
      'function F 2-6',
      'function G 7-10',
      'struct G/local 8-8',
      'function asm 11-11',
      'struct A 13-15',
      'type B 16-16',
      'interface I 18-18',
    ],
  )
  t.same(importsOf('go', 'import "fmt"\nimport (\n\ta "b/c"\n\t_ "d"\n)\n'), ['1 fmt', '3 b/c', '4 d'])
})

test('Go: declarations of every form', async t => {
  checkSpans(t, 'go', [
    ['func (A) F() {}', 'function F 1-1'],
    ['func (a *A[T]) F() {\n}', 'function F 1-2'],
    ['func F() (a int, b error) {\n}', 'function F 1-2'],
    [
      'func F(a struct{ b int }, c interface{ D() }) struct{ e int } {\n}\nfunc G() {}',
      'function F 1-2, function G 3-3',
    ],
    ['func F[K comparable, V any](m map[K]V) []V {\n}', 'function F 1-2'],
    ['var a = 1; func F() {\n}', 'function F 1-2'],
    ['{ func F() { } }', 'function F 1-1'],
    ['type A struct { B }; type C int', 'struct A 1-1, type C 1-1'],
    ['type A[T any] struct {\n\ta T\n}', 'struct A 1-3'],
    ['type A []struct {\n\ta int\n}', 'type A 1-3'],
    ['type A [3]int\nvar b int', 'type A 1-1'],
    ['type A func(b int) error\nvar c int', 'type A 1-1'],
    ['type A = struct {\n}', 'struct A 1-2'],
    ['type A = B[int]\nfunc F() {}', 'type A 1-1, function F 2-2'],
    ['type A[T any] = interface {\n}', 'interface A 1-2'],
    ['type (\n\tA [4]int\n\tB[T any] interface { C() }\n)\nfunc D() {}', 'type A 2-2, interface B 3-3, function D 5-5'],
    ['type ( A int; B struct { c int } )', 'type A 1-1, struct B 1-1'],
    ['type ()\nfunc F() {}', 'function F 2-2'],
    [
      'type A struct {\n}\nfunc (a A) F() {\n}\nfunc G()\nfunc H() { type I int }',
      'struct A 1-2, function F 3-4, function G 5-5, function H 6-6, type H/I 6-6',
    ],
  ])
})

test('Go: what is no declaration, and what is cut off', async t => {
  checkSpans(t, 'go', [
    ['a := func(b int) int { return b }\nf(func(c int) {})\ngo func() {}()', ''],
    ['var a func(b int) error\nvar c struct { d int }', ''],
    ['return func (a) b(c) { }', ''],
    ['a.type = 1\nb := x.(type)', ''],
    ['// func F() {}\n/* type A int\n */ func G() {}', 'function G 3-3'],
    ["a := '{'\nb := '\\''\nc := \"{\\\"\"\nd := `{\n`\nfunc F() {}", 'function F 6-6'],
    ['func', ''],
    ['func F', ''],
    ['func F(', 'function F 1-1'],
    ['func F() {\n\ta(', 'function F 1-2'],
    ['func (a A', ''],
    ['type', ''],
    ['type A', 'type A 1-1'],
    ['type A[T', 'type A 1-1'],
    ['type (', ''],
    ['func 1() {}', ''],
    ['type 1 int', ''],
    ['func F x() {}\nfunc G() {}', 'function G 2-2'],
  ])
})
