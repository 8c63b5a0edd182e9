import { test } from 'tap'
import { importsOf, spans } from '../spans.ts'

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
