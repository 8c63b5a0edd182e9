import { test } from 'tap'
import { importsOf, spans } from '../spans.ts'

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
})
