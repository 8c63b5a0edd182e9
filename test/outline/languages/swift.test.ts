import { test } from 'tap'
import { importsOf, spans } from '../spans.ts'

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
