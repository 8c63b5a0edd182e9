import { test } from 'tap'
import { checkSpans, importsOf, scopesOf, spans } from '../spans.ts'

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

test('C: functions and types of every form', async t => {
  checkSpans(t, 'c', [
    [
      'int a(void) { return 1; }\nstatic inline const char *b(int c) {\n}\nint d(int e);',
      'function a 1-1, function b 2-3',
    ],
    [
      'struct a { int b; };\nunion c { int d; };\nenum e { F, G };\ntypedef struct { int h; } i;\ntypedef struct j { int k; } l;',
      'struct a 1-1, struct c 2-2, enum e 3-3, struct i 4-4, struct j 5-5',
    ],
    ['struct a b = { 1 };\nint c[] = { 1, 2 };\nstruct d { struct { int e; } f; };', 'struct d 3-3'],
    ['int a(b, c)\nint b;\nchar c;\n{\n}', 'function a 1-5'],
    ['#define A(b) { b\n#define C \\\n  {\nint d(void) { }', 'function d 4-4'],
    [
      '#if A\nint b(void) {\n#else\nint b(int c) {\n#endif\n  d();\n}\nint e(void) { }',
      'function b 2-7, function e 8-8',
    ],
    ['__attribute__((a)) int b(void) { }\nint c(void) __attribute__((d)) { }', 'function b 1-1, function c 2-2'],
    [
      'int a(void) { if (b) { } for (;;) { } while (c) { } switch (d) { case 1: { } } do { } while (e); return f(g); }',
      'function a 1-1',
    ],
    ['int a(void) { struct b { int c; } d; }', 'function a 1-1, struct a/b 1-1'],
    ['a(b);\nA(c) { }', 'function A 2-2'],
    ['extern "C" {\nint a(void) { }\n}', 'function a 2-2'],
    [
      'char a = \'{\';\nchar *b = "{\\"";\nchar *c = "{" "}";\nint d(void) { } // {\n/* { */ int e(void) { }',
      'function d 4-4, function e 5-5',
    ],
    ['int a(void) {\n', 'function a 1-1'],
    ['int a(', ''],
    ['struct a {', 'struct a 1-1'],
    ['struct a', ''],
    ['typedef', ''],
    ['enum', ''],
  ])
  t.same(importsOf('c', '#include <a.h>\n#include "b.h"\n#  include <c/d.h>\n#import "e.h"\n#include MACRO\n'), [
    '1 a.h',
    '2 b.h',
    '3 c/d.h',
    '4 e.h',
  ])
})

test('C++: functions and types of every form', async t => {
  checkSpans(t, 'cpp', [
    [
      'class A : public B<C>, private D {\npublic:\n  A() : e(1), f{2} { }\n  ~A();\n  virtual int g() const override { }\n  static int h() noexcept;\n};',
      'class A 1-7, function A/A 3-3, function A/g 5-5',
    ],
    [
      'A::A(int b) : c(b), d{e} { }\nA::~A() { }\nint A::f() const { }\nint A<B>::g() { }\ntemplate <typename T> int A<T>::h() && { }',
      'function A 1-1, function ~A 2-2, function f 3-3, function g 4-4, function h 5-5',
    ],
    [
      'template <typename T, int N = (1 > 2)> class A { };\ntemplate <> struct B<int> { };',
      'class A 1-1, struct B 2-2',
    ],
    [
      'namespace a { class B { }; }\nnamespace c::d { int e() { } }\nnamespace { int f() { } }\ninline namespace g { }\nnamespace h = i;',
      'module a 1-1, class a/B 1-1, module c::d 2-2, function c::d/e 2-2, function f 3-3, module g 4-4',
    ],
    [
      'bool operator==(A b, A c) { }\nA &A::operator=(B c) { }\nA::operator bool() const { }\nvoid operator()(int a) { }\nvoid *operator new(size_t a) { }\nint operator[](int a) { }\nint operator<(A b) { }\nint operator""_a(char b) { }',
      'function operator== 1-1, function operator= 2-2, function operator bool 3-3, function operator() 4-4, function operator new 5-5, function operator[] 6-6, function operator< 7-7, function operator""_a 8-8',
    ],
    [
      'enum class A : int { B };\nenum struct C { };\nclass D final : E { };\nstruct F;\nclass G;',
      'enum A 1-1, enum C 2-2, class D 3-3',
    ],
    [
      'auto a() -> int { }\nauto b() -> decltype(c) { }\nconstexpr int d() { }\nauto e = [](int f) { return g; };\nauto h = [&]() -> int { };',
      'function a 1-1, function b 2-2, function d 3-3',
    ],
    ['int a() try { } catch (...) { }', 'function a 1-1'],
    ['int operator {\n}\nint operator b {\n}\nint c() { }', 'function c 5-5'],
    ['int a{1};\nB c{2};\nstd::vector<int> d = {1};\nint e() { }', 'function e 4-4'],
    [
      'const char *a = R"({)";\nconst char *b = R"x({)")x";\nconst char *c = u8"{";\nint d = 1\'000;\nint e() { }',
      'function e 5-5',
    ],
    ['template <typename T> concept A = B<T>;\ntemplate <A T> requires C<T> int d() { }', 'function d 2-2'],
    [
      'class A { friend class B; friend int c() { } struct D { int e() { } }; };',
      'class A 1-1, function A/c 1-1, struct A/D 1-1, function D/e 1-1',
    ],
    ['class A { int b() = delete; A() = default; int c() = 0; };', 'class A 1-1'],
    ['struct A { int b = 1; C d{}; int e() { } } f;', 'struct A 1-1, function A/e 1-1'],
    ['export module a;\n[[nodiscard]] int b() { }', 'function b 2-2'],
    ['A b() & { }', 'function b 1-1'],
    ['class A', ''],
    ['class A {', 'class A 1-1'],
    ['A::A() : b(', ''],
    ['template <', ''],
    ['namespace a {', 'module a 1-1'],
  ])
  t.same(importsOf('cpp', '#include <a>\nimport b;\n'), ['1 a'])
})

test('C++: the arguments of a template hold no parameters and no names of their own', async t => {
  checkSpans(t, 'cpp', [
    ['std::function<void(int)> make() {\n}', 'function make 1-2'],
    ['std::map<int, std::vector<int>> all(int a) {\n}', 'function all 1-2'],
    ['template <> struct Hash<Pair<int>, Bar> {\n};', 'struct Hash 1-2'],
    ['template <typename T> class A<B<T>> : public C<D> {\n  void f() {\n  }\n};', 'class A 1-4, function A/f 2-3'],
  ])
})

test('C++: a function has its name also before arguments of a template within others', async t => {
  t.same(spans('cpp', 'template <>\nvoid put<vector<int>>(int a) {\n}\n'), ['function put 2-3'])
})

test('C: where headers of types and old functions begin and end', async t => {
  checkSpans(t, 'c', [
    [
      'static\nstruct a {\n} b;\nstatic\nenum c {\n};\ntypedef\nstruct d {\n} e;',
      'struct a 2-3, enum c 4-6, struct d 7-9',
    ],
    ['int old (a)\n  int a, b, c;\n{\n}', 'function old 1-4'],
    ['int f(a) int b = 1;\n{\n}\nint g (void) { }', 'function g 4-4'],
    ['int f (a) const;\n{\n}', ''],
    ['int f(void) {\n  M(a)\n  int b;\n}\n{\n}', 'function f 1-4'],
    ['int f(a)\n  int b;;\n{\n}', 'function f 1-4'],
    [
      'struct __attribute__((packed)) a { int b; };\nstruct f(int a) { }\nunion g h(void) { }',
      'struct a 1-1, function f 2-2, function h 3-3',
    ],
  ])
})

test('C++: macros, attributes and angles in headers', async t => {
  checkSpans(t, 'cpp', [
    [
      'class A B { int f() {} };\nclass C & D { int g() {} };\nclass EXPORT E { };\nclass A::F { };\nclass M(x) G { };',
      'class B 1-1, function B/f 1-1, class E 3-3, class F 4-4, class G 5-5',
    ],
    [
      'static class A { } a;\nconst struct B { } b;\nstatic enum C { D } c;\n/* x */ typedef const struct E { } F;',
      'class A 1-1, struct B 2-2, enum C 3-3, struct E 4-4',
    ],
    ['int a() { } : b\nint c = d ? e : f;', 'function a 1-1'],
    [
      'class A { int f(B<C> d) { } void operator<(A b) { } int g(h < i) { } };',
      'class A 1-1, function A/f 1-1, function A/operator< 1-1, function A/g 1-1',
    ],
    [
      'MACRO(a) int b(int c) { }\nF(a) B(c) { }\nF(a) b(c) { }\nint F(a) b(c) { }',
      'function b 1-1, function F 2-2, function b 3-3, function F 4-4',
    ],
    [
      'int operator()(int a) { }\nint A::operator()() { }\nint operator b(int c);',
      'function operator() 1-1, function operator() 2-2',
    ],
    ['void f(a) = b { }\nint c() { }', 'function f 1-1, function c 2-2'],
    ['int a(int b) noexcept { }\nA::A() : b(1), c(2) { }', 'function a 1-1, function A 2-2'],
    [
      'struct alignas(8) A : B { };\nclass __declspec(x) C { int d() { } };\nstruct E F(int g) { };\nclass final { };',
      'struct A 1-1, class C 2-2, function C/d 2-2, function F 3-3',
    ],
    ['int f(int a) override G(b) { }\nint h() final(b) { }', 'function f 1-1, function h 2-2'],
    [
      'std::vector<int> a(int b) { }\nB<C<D>> e<F>(int g) { }\nint h<i, j>(int k) { }\nbool l = m < n(o) { }',
      'function a 1-1, function e 2-2, function h 3-3',
    ],
  ])
})

test('C and C++: a pointer to functions or to an array that is given a value is no function', async t => {
  const declared = [
    'int (*a)(int)',
    'static int (*const a[])(struct b *)',
    'struct b (*a)(void)',
    'int (__cdecl *a)(int)',
    'int (*(*a)(int))(int)',
    'int (B::*a)(int)',
    'int (n::B::*a)(int)',
    'int (*a)[2]',
    'int (&a)[2]',
    'b (^a)(int)',
  ]
  for (const one of declared) {
    t.same(spans('cpp', `${one} = { c };\nint d() { }`), ['function d 2-2'], one)
    t.same(spans('cpp', `struct e {\n  ${one} = { c };\n  int d() { }\n};`), ['struct e 1-4', 'function e/d 3-3'], one)
  }
  checkSpans(t, 'cpp', [
    ['int (*a)(int) = { b }, (*c)(int) = { d };\nint e() { }', 'function e 2-2'],
    ['int (*a)(int) = [](int b) { return b; };\nint e() { }', 'function e 2-2'],
    ['F(a) = { b };\nG(a *b) = { };\nint f(int *a) { }', 'function F 1-1, function G 2-2, function f 3-3'],
  ])
})

test('C: an old function keeps its header over the declarations of its parameters, up to 60 tokens', async t => {
  const old = (words: number): string => `int f(a)\n  int a;\n  ${'int '.repeat(words)} b;\n{\n}\nint g(void) { }`
  t.same(spans('c', old(50)), ['function f 1-5', 'function g 6-6'])
  t.same(spans('c', old(51)), ['function g 6-6'])
  const far = (words: number): string => `${'int '.repeat(words)} f(a)\n  int a;\n{\n}\nint g(void) { }`
  t.same(spans('c', far(38)), ['function f 1-4', 'function g 5-5'])
  t.same(spans('c', far(39)), ['function g 5-5'], 'nor where parameters begin behind the 40th')
})
