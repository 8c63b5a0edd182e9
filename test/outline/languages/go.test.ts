import { test } from 'tap'
import { importsOf, spans } from '../spans.ts'

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
