import { test } from 'tap'
import { importsOf, scopesOf, spans } from '../spans.ts'

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
            int Local(int z) { return z; } T Kept<T>(T t) where T : class { return t; }
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
      'function F/Kept 18-18',
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
