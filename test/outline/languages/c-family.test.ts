import { test } from 'tap'
import { importsOf, scopesOf, spans } from '../spans.ts'

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
