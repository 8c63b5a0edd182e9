import { test } from 'tap'
import { checkSpans, importsOf, scopesOf, spans } from '../spans.ts'

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

test('a call at the top of a file is no declaration', async t => {
  checkSpans(t, 'csharp', [
    ['var app = Build();\napp.MapGet("/", () => 1);\nRun();\nA.B.C();\nint D() => 1;', 'function D 5-5'],
    ['interface A { B C(); D.E F(); }', 'interface A 1-1, function A/C 1-1, function A/F 1-1'],
  ])
  checkSpans(t, 'java', [
    ['A.class.b();\nabstract class C { D e(); f.G h(); }', 'class C 2-2, function C/e 2-2, function C/h 2-2'],
  ])
})

test('Java: declarations of every form', async t => {
  checkSpans(t, 'java', [
    ['@interface A {\n  int b() default 1;\n}', 'interface A 1-3, function A/b 2-2'],
    ['@A(b = { 1, 2 }) @c.D class E {\n}', 'class E 1-2'],
    ['@A.B.C("x") public class D {}', 'class D 1-1'],
    ['@A class B { @C(1) void d(@E int f) {} }', 'class B 1-1, function B/d 1-1'],
    ['class A {\n  @B\n  @C({ 1 })\n  int d;\n  void e() {}\n}', 'class A 1-6, function A/e 5-5'],
    ['class A { A() {} static {} { } }', 'class A 1-1, function A/A 1-1'],
    ['class A {\n  int[] b = { 1 };\n  int c = d(1);\n  int e() { return 1; }\n}', 'class A 1-5, function A/e 4-4'],
    ['class A { <T extends B<C>> T d(T e) throws F, G {} }', 'class A 1-1, function A/d 1-1'],
    ['class A { B<C<D>> e(F<G> h) { return null; } }', 'class A 1-1, function A/e 1-1'],
    ['class A { int a() { b(); c.d(); new E(); return f(1); } }', 'class A 1-1, function A/a 1-1'],
    [
      'class A { void b() { if (c) { } for (;;) { } while (d) { } try (e) { } catch (F g) { } synchronized (h) { } switch (i) { } do { } while (j); } }',
      'class A 1-1, function A/b 1-1',
    ],
    [
      'class A { void b() { class C { void d() {} } } }',
      'class A 1-1, function A/b 1-1, class b/C 1-1, function C/d 1-1',
    ],
    ['class A { B c = new B<D>(1) { void e() {} }; }', 'class A 1-1, function A/e 1-1'],
    ['class A { B c = new D.E() { void f() {} }; }', 'class A 1-1, function A/f 1-1'],
    ['class A { B[] c = new B[] { new B() { void d() {} } }; }', 'class A 1-1, function A/d 1-1'],
    ['class A { B c = () -> { d(); }; void e() {} }', 'class A 1-1, function A/e 1-1'],
    ['class A { B c = d -> d.e(() -> { }); void f() {} }', 'class A 1-1, function A/f 1-1'],
    ['class A { abstract void b(); native int c(int d); }', 'class A 1-1, function A/b 1-1, function A/c 1-1'],
    ['enum A { B, C; void d() {} }', 'enum A 1-1, function A/d 1-1'],
    ['enum A { B { void c() {} }, D(1) { void e() {} }; }', 'enum A 1-1, function A/c 1-1, function A/e 1-1'],
    ['enum A implements B { C }', 'enum A 1-1'],
    ['record A(int b, C<D> e) implements F { A { } void g() {} }', 'class A 1-1, function A/g 1-1'],
    ['record A<T>(T b) { }', 'class A 1-1'],
    [
      'class A { int record; void b() { record = 1; record(c); } B record(int c) { } }',
      'class A 1-1, function A/b 1-1, function A/record 1-1',
    ],
    ['sealed interface A permits B { default void c() {} }', 'interface A 1-1, function A/c 1-1'],
    ['module a.b {\n  requires c;\n}', ''],
    ['class A { int b(), c; }', 'class A 1-1, function A/b 1-1'],
    ['class A extends B<C> implements D, E<F> { G h() {} }', 'class A 1-1, function A/h 1-1'],
    ['class A { Object b = new Object(); void c() {} }', 'class A 1-1, function A/c 1-1'],
    ['void a() { b(); }\nclass C { }', 'function a 1-1, class C 2-2'],
    [
      'class A { String b = """\n  class C {\n  """; char c = \'{\'; String d = "\\"{"; void e() {} }',
      'class A 1-3, function A/e 3-3',
    ],
    ['class A { // class B {\n  /* void c() { */ void d() {} }', 'class A 1-2, function A/d 2-2'],
    ['class', ''],
    ['class A', ''],
    ['class A {', 'class A 1-1'],
    ['class A { void b(', 'class A 1-1'],
    ['class A { void b() {', 'class A 1-1, function A/b 1-1'],
    ['@A', ''],
    ['@', ''],
    ['new', ''],
    ['enum A {', 'enum A 1-1'],
    ['class A { B c = new', 'class A 1-1'],
  ])
  t.same(importsOf('java', 'import a.b;\nimport static c.D.*;\n'), ['1 a.b', '2 c.D.*'])
})

test('C#: declarations of every form', async t => {
  checkSpans(t, 'csharp', [
    ['[A(B = "]")] [C] class D {\n}', 'class D 1-2'],
    ['class A { [B] [C(1)] int d() {} }', 'class A 1-1, function A/d 1-1'],
    [
      'class A { int B { get; set; } = 1; int C { get { return 1; } } }',
      'class A 1-1, function A/B 1-1, function A/C 1-1',
    ],
    ['class A { int B { get; } = D(1, 2);\n int E => 1; }', 'class A 1-2, function A/B 1-1, function A/E 2-2'],
    ['class A { int B => c\n ; int D() => 2; }', 'class A 1-2, function A/B 1-2, function A/D 2-2'],
    [
      'class A { A() : base(1) { } ~A() { } static A() { } }',
      'class A 1-1, function A/A 1-1, function A/~A 1-1, function A/A 1-1',
    ],
    [
      'class A { int this[int b] => c; B this[int c] { get; } }',
      'class A 1-1, function A/this 1-1, function A/this 1-1',
    ],
    [
      'class A { public static A operator +(A b, A c) { } public static implicit operator int(A b) => 1; public static bool operator ==(A b, A c) => true; }',
      'class A 1-1, function A/operator+ 1-1, function A/operator int 1-1, function A/operator== 1-1',
    ],
    ['class A { event B C; event D E { add { } remove { } } void F() {} }', 'class A 1-1, function A/F 1-1'],
    ['class A { public delegate void B(int c); }\ndelegate int C();', 'class A 1-1, type A/B 1-1, type C 2-2'],
    ['class A { void B<T>() where T : C, new() { } }', 'class A 1-1, function A/B 1-1'],
    [
      'class A { (int b, int c) D() => (1, 2); int? E() { } int[] F() { } B<C> G() { } int* H() { } }',
      'class A 1-1, function A/D 1-1, function A/E 1-1, function A/F 1-1, function A/G 1-1, function A/H 1-1',
    ],
    [
      'class A { void B() { int C() { return 1; } D<E> F() => 1; void G<T>() where T : H { } } }',
      'class A 1-1, function A/B 1-1, function B/C 1-1, function B/F 1-1, function B/G 1-1',
    ],
    [
      'class A { void B() { C(); await D(); var e = F(); if (g) { } foreach (h) { } using (i) { } lock (j) { } switch (k) { } } }',
      'class A 1-1, function A/B 1-1',
    ],
    ['class A { void B() { return C(d => { }); } }', 'class A 1-1, function A/B 1-1'],
    ['class A { B C = new B { D = 1 }; void E() {} }', 'class A 1-1, function A/E 1-1'],
    ['class A { B C = new() { }; int[] D = { 1 }; void E() {} }', 'class A 1-1, function A/E 1-1'],
    ['namespace A.B { class C { } }', 'module A.B 1-1, class A.B/C 1-1'],
    ['namespace A.B;\nclass C { }', 'class C 2-2'],
    [
      'record A(int B);\nrecord struct C(int D) { }\nrecord class E { }\nrecord F : G { }\nrecord H<I>(J K);',
      'class A 1-1, class C 2-2, class E 3-3, class F 4-4, class H 5-5',
    ],
    [
      'class A { int record; void B() { record = 1; } record() { } }',
      'class A 1-1, function A/B 1-1, function A/record 1-1',
    ],
    [
      'struct A { readonly int B; }\nref struct C { }\ninterface D { int E { get; } void F(); }',
      'struct A 1-1, struct C 2-2, interface D 3-3, function D/E 3-3, function D/F 3-3',
    ],
    ['enum A { B = 1, C }\nclass D { }', 'enum A 1-1, class D 2-2'],
    ['partial class A<T> : B<C>, D where T : E { }', 'class A 1-1'],
    ['class A { void I.B() { } int I.C { get; } }', 'class A 1-1, function A/B 1-1, function A/C 1-1'],
    [
      'class A { string B = @"{""\\"; string C = $"{d}{{"; string D = $@"{""e""}{{\\"; string E = """\n { """; void F() {} }',
      'class A 1-2, function A/F 2-2',
    ],
    ["class A { char b = '{'; char c = '\\''; void D() {} }", 'class A 1-1, function A/D 1-1'],
    ['#if A\nclass B { }\n#region C {\n#endif', 'class B 2-2'],
    ['class A { // {\n /* { */ void B() { } }', 'class A 1-2, function A/B 2-2'],
    ['var a = 1;\nvoid B() { }\nint C() => 1;\nD();', 'function B 2-2, function C 3-3'],
    ['class A { async Task B() { await using var c = D(); } }', 'class A 1-1, function A/B 1-1'],
    ['class A { unsafe fixed int B[3]; extern void C(); }', 'class A 1-1, function A/C 1-1'],
    ['class A', ''],
    ['class A {', 'class A 1-1'],
    ['class A { int B {', 'class A 1-1, function A/B 1-1'],
    ['class A { int B() =>', 'class A 1-1'],
    ['[A', ''],
    ['namespace A', ''],
    ['delegate', ''],
  ])
})

test('C#: arrows, initialisers and local functions', async t => {
  checkSpans(t, 'csharp', [
    [
      'class A { int B { get; } = 1; int C { get; } = D(() => { }); void E() { } }',
      'class A 1-1, function A/B 1-1, function A/C 1-1, function A/E 1-1',
    ],
    ['class A { int B { get; } int C; void D() { } }\n;', 'class A 1-1, function A/B 1-1, function A/D 1-1'],
    [
      'class A { int this[int b] { get; } A { } int B { } static { } void C() { } }',
      'class A 1-1, function A/this 1-1, function A/B 1-1, function A/C 1-1',
    ],
    [
      'class A { public static explicit operator int(A b) => 1; public static A operator +(A b) { return b; } void C() { D(x => x); } }',
      'class A 1-1, function A/operator int 1-1, function A/operator+ 1-1, function A/C 1-1',
    ],
    ['void A() { } => b;\nvar c = () => 1;\nd => 1;\nint E => 1;', 'function A 1-1, function d 3-3, function E 4-4'],
    [
      'class A { void B() { int C() where T : D { } int E<T>(T f) where T : G { } void H<T>() where T : I => J(); K() { } } }',
      'class A 1-1, function A/B 1-1, function B/C 1-1, function B/E 1-1, function B/H 1-1',
    ],
    [
      'class A { delegate int B(); int delegateC(); event D E; }\ndelegate void F(int g);\nint H(delegate i) { }',
      'class A 1-1, type A/B 1-1, function A/delegateC 1-1, type F 2-2, function H 3-3',
    ],
    [
      'class A { B C = new D { E = { F = 1 } }; B G = new[] { 1 }; enum H { I = 1, J } int K() { var l = new { M = 1 }; } }',
      'class A 1-1, enum A/H 1-1, function A/K 1-1',
    ],
    ['class A { int B { get; } =\n 1; int C() => 2; }', 'class A 1-2, function A/B 1-2, function A/C 2-2'],
    ['class A { void B() { c => 1; D(e); return f => 2; } }', 'class A 1-1, function A/B 1-1'],
    ['class A { void B() { await C(d) with { E = 1 }; F g(h) switch { }; } }', 'class A 1-1, function A/B 1-1'],
  ])
})

test('C#: imports of every form, and what is none', async t => {
  t.same(
    importsOf(
      'csharp',
      'using a.b;\nusing static c.d;\nusing e = f.g;\nusing (h) { }\nusing var i = j();\nglobal using k;\nusing unsafe x = int;',
    ),
    ['1 a.b', '2 c.d', '3 f.g', '7 int'],
  )
})

test('Java: braces that are no body', async t => {
  checkSpans(t, 'java', [
    [
      'enum A { B { { c(); } void d() { } }, E { }; { f(); } int g() { } }',
      'enum A 1-1, function A/d 1-1, function A/g 1-1',
    ],
    [
      'class A { int b = c ? new D() { int e() { } } : f; int[] g = { new H() { void i() { } } }; @J(k = { 1 }) void l() { } }',
      'class A 1-1, function A/e 1-1, function A/i 1-1, function A/l 1-1',
    ],
  ])
})

test('Java: imports of every form, and what is none', async t => {
  t.same(importsOf('java', 'import a.b.C;\nimport static d.E;\nimport f . g;\nimport h.*;\nimport module i.j;'), [
    '1 a.b.C',
    '2 d.E',
    '3 f.g',
    '4 h.*',
  ])
})

test('C#: an expression with braces goes on to its semicolon, and its member is there', async t => {
  checkSpans(t, 'csharp', [
    [
      'class A {\n  A B() => new A { C = 1 }\n    .D();\n  int E() => 1;\n}',
      'class A 1-5, function A/B 2-3, function A/E 4-4',
    ],
    [
      'class A {\n  string B(int c) => c switch\n  {\n    1 => "d",\n    _ => "e",\n  };\n  int F => 1;\n}',
      'class A 1-8, function A/B 2-6, function A/F 7-7',
    ],
    ['class A {\n  int B => new C { D = { E = 1 } }.F;\n}', 'class A 1-3, function A/B 2-2'],
    ['class A {\n  public static A operator +(A b) => new A { C = 1 };\n}', 'class A 1-3, function A/operator+ 2-2'],
  ])
})
