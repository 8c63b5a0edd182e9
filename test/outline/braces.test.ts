import { test } from 'tap'
import { importsOf, scopesOf, spans } from './spans.ts'

test('Java: types, methods, anonymous classes, constants with bodies; calls and initialisers are none', async t => {
  t.same(
    spans(
      'java',
      `package a;
import static a.b.C.d;
@Entity(name = "x{")
public class A<T extends B<T>> extends C {
  private final Runnable r = new Runnable() {
    @Override public void run() { go(); }
  };
  private static final int[] x = { 1 };
  static { x(); }
  @Inject
  A(int a) throws E { super(a); }
  <T> Map<String, List<T>> f(
      final int x)
  {
    if (x > 1) { for (;;) { g(() -> { return 1; }); } }
    return null;
  }
  abstract int h(String s);
  enum D { ONE(1) { int v() { return 1; } }, TWO; int v() { return 2; } }
  record P(int a, int b) { }
  @interface Q { int value() default 1; }
}
`,
    ),
    [
      'class A 4-22',
      'function A/run 6-6',
      'function A/A 11-11',
      'function A/f 12-17',
      'function A/h 18-18',
      'enum A/D 19-19',
      'function D/v 19-19',
      'function D/v 19-19',
      'class A/P 20-20',
      'interface A/Q 21-21',
      'function Q/value 21-21',
    ],
  )
  t.same(importsOf('java', 'import static a.b.C.d;\nimport a.b.*;\n'), ['1 a.b.C.d', '2 a.b.*'])
  t.same(
    scopesOf('java', 'class A {\n  int x;\n\n  /** b */\n  @B(\n    1)\n  void b() { }\n}\n').map(
      ({ name, leadLine, startLine }) => [name, leadLine, startLine],
    ),
    [
      ['A', 1, 1],
      ['b', 4, 7],
    ],
  )
})

test('C#: properties, expression bodies, local functions, verbatim and interpolated strings', async t => {
  t.same(
    spans(
      'csharp',
      `using System.Text;
using A = B.C;
namespace N.M
{
    [Serializable]
    public sealed record R(int X);
    public class A<T> : B where T : new()
    {
        private string s = @"\\"; private string u = $"{x["}"]}{{";
        public int P { get; set; } = 1;
        public int Q => P
            + 1;
        public string this[int i] { get { return ""; } }
        public static A operator +(A a, A b) => a;
        public A(int x) : base(x) { var y = new List<int> { 1 }; }
        public async Task<(int a, int b)> F<U>(U u) where U : class
        {
            int Local(int z) { return z; }
            await Foo(() => { });
            if (x) { }
            return u switch { _ => (1, 2) };
        }
        delegate void D(int x);
    }
#if X
    interface I { void G(); }
#endif
}
`,
    ),
    [
      'module N.M 3-28',
      'class N.M/R 6-6',
      'class N.M/A 7-24',
      'function A/P 10-10',
      'function A/Q 11-12',
      'function A/this 13-13',
      'function A/operator+ 14-14',
      'function A/A 15-15',
      'function A/F 16-22',
      'function F/Local 18-18',
      'type A/D 23-23',
      'interface N.M/I 26-26',
      'function I/G 26-26',
    ],
  )
  t.same(importsOf('csharp', 'using System.Text;\nusing A = B.C;\nusing static D.E;\n'), [
    '1 System.Text',
    '2 B.C',
    '3 D.E',
  ])
})

test('C: return types on the line before, old style parameters, directives that split braces', async t => {
  t.same(
    spans(
      'c',
      `#include <stdio.h>
#define F(x) { x
typedef struct {
  int a;
} T;
static const char *
name (int a,
      int b)
{
  if (a) { return "}"; }
  return '{';
}
int old (a, b)
  int a;
  char *b;
{
}
#ifdef X
int f (int a) {
#else
int f (void) {
#endif
  return 1'000;
}
struct s g (void) { struct local { int x; } y = { 1 }; }
int table[] = { 1, 2 };
enum e { ONE };
int declared (int a);
__attribute__((noinline)) int h (void) { }
`,
    ),
    [
      'struct T 3-5',
      'function name 6-12',
      'function old 13-17',
      'function f 19-24',
      'function g 25-25',
      'struct g/local 25-25',
      'enum e 27-27',
      'function h 29-29',
    ],
  )
  t.same(importsOf('c', '#include <stdio.h>\n  # include "a/b.h"\nint x; // #include <no.h>\n'), [
    '1 stdio.h',
    '2 a/b.h',
  ])
})

test('C++: members defined outside, initialisers, operators, templates, raw strings', async t => {
  t.same(
    spans(
      'cpp',
      `namespace a::b {
extern "C" {
void c() {}
}
template <typename T>
class A final : public B<T> {
 public:
  A(int x) : x_{x}, y_(1) {}
  ~A() = default;
  bool operator()(int a) const { return a < 1; }
  operator bool() const noexcept override { return true; }
 private:
  std::function<void(int)> f() const;
  int x_ = 1;
};
template <>
std::map<int, int> A<int>::f(
    std::function<void(int)> g) const -> T {
  auto h = [](int i) { return R"x({)")x"; };
}
A::~A() {
}
enum class E : int { ONE };
}
`,
    ),
    [
      'module a::b 1-24',
      'function a::b/c 3-3',
      'class a::b/A 6-15',
      'function A/A 8-8',
      'function A/operator() 10-10',
      'function A/operator bool 11-11',
      'function a::b/f 17-20',
      'function a::b/~A 21-22',
      'enum a::b/E 23-23',
    ],
  )
  t.equal(scopesOf('cpp', '// about f\ntemplate <typename T>\nvoid f() {\n}\n')[0]?.leadLine, 1)
})

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

test('Rust: impls, traits, macros, lifetimes and raw strings', async t => {
  t.same(
    spans(
      'rust',
      `use a::{b, c::{d, e as f}, self};
pub(crate) async unsafe fn f<'a, T: Fn(&'a u8) -> [u8; 2]>(x: &'a T) -> impl Iterator<Item = u8>
where
    T: Clone,
{
    let c = '{'; let s = r#"}"#; let t = "multi
}";
    /* { /* { */ */
}
#[derive(Debug)]
pub struct S(u8);
struct T { a: u8 }
impl<T> fmt::Display for a::S<T> where T: Clone {
    fn fmt(&self) -> X { X }
}
trait U { type A; fn a(&self); fn b() {} }
macro_rules! m { ($x:ident) => { fn $x() {} fn y() {} } }
mod inside { enum E { A } }
mod outside;
`,
    ),
    [
      'function f 2-9',
      'struct S 11-11',
      'struct T 12-12',
      'impl S 13-15',
      'function S/fmt 14-14',
      'trait U 16-16',
      'type U/A 16-16',
      'function U/a 16-16',
      'function U/b 16-16',
      'function m 17-17',
      'module inside 18-18',
      'enum inside/E 18-18',
    ],
  )
  t.same(importsOf('rust', 'use a::{b, c::{d, e as f}, self};\nuse std::fmt;\nmod outside;\n'), [
    '1 a::c {d e}',
    '1 a {b self}',
    '2 std::fmt',
    '3 self::outside',
  ])
})

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

test('PHP: text around the code, heredocs, traits and anonymous classes', async t => {
  t.same(
    spans(
      'php',
      `<p>function no() { don't
<?php
namespace A\\B;
use C\\{D, E as F};
abstract class G extends H implements I {
    use T;
    #[Attr]
    public static function &f(array $x = [1]): ?string {
        $y = function () use ($x) { return "}{$x['a']}"; };
        return <<<EOT
        } function no() {
        EOT;
    }
    abstract protected function g(): void;
}
// ?> function no() {} <?php
function h() { return new class { function i() {} }; }
enum J: string { case A = 'a'; }
`,
    ),
    [
      'class G 5-15',
      'function G/f 8-13',
      'function G/g 14-14',
      'function h 17-17',
      'function h/i 17-17',
      'enum J 18-18',
    ],
  )
  t.same(importsOf('php', "<?php\nuse A\\B;\nuse C\\{D, E as F};\nrequire_once __DIR__ . '/x.php';\n"), [
    '2 A\\B',
    '3 C {D E}',
    '4 /x.php',
  ])
})

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
