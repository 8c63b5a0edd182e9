import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

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

test('PHP: declarations of every form', async t => {
  checkSpans(t, 'php', [
    [
      '<?php\nfunction a() { }\nfunction &b(int ...$c): ?d { }\nabstract class E extends F implements G, H { use I; const J = 1; public $k = [1]; public function l() { } abstract protected function m(): n; public static function &o() { } }',
      'function a 2-2, function b 3-3, class E 4-4, function E/l 4-4, function E/m 4-4, function E/o 4-4',
    ],
    [
      '<?php\ninterface A extends B { function c(); }\ntrait D { function e() { } }\nenum F: string implements G { case H = "i"; function j() { } }\nfinal class K { }\nreadonly class L { }',
      'interface A 2-2, function A/c 2-2, trait D 3-3, function D/e 3-3, enum F 4-4, function F/j 4-4, class K 5-5, class L 6-6',
    ],
    [
      '<?php\n$a = function () { };\n$b = fn ($c) => $d;\n$e = new class { function f() { } };\n$g = static function () use ($h) { };\nfunction i() { }',
      'function f 4-4, function i 6-6',
    ],
    ['<?php\nnamespace A\\B;\nfunction c() { }', 'function c 3-3'],
    ['<?php\nnamespace A { class B { } }\nnamespace { function c() { } }', 'class B 2-2, function c 3-3'],
    [
      `<?php\n$a = "{$b["}"]} $\{c} {";\n$d = '{\\'';\n$e = <<<F\n{ function g() {\nF;\n$h = <<<'I'\n}\nI;\nfunction j() { }`,
      'function j 10-10',
    ],
    ['<?php\n$a = <<<"B"\n  {\n  B . "x";\nfunction c() { }', 'function c 5-5'],
    [
      '<?php\n// function a() { ?> function b() { <?php\n# }\n/* { */ function c() { }\n#[D("}")]\nfunction e() { }',
      'function c 4-4, function e 6-6',
    ],
    ['a { <?php function b() { ?> } <p> <?php } ?> {\n<?php function c() { }', 'function b 1-1, function c 2-2'],
    ['<?php\n$a->function(); A::class; $b::class; $c->class; A::function();\nfunction d() { }', 'function d 3-3'],
    [
      '<?php\nif (a) { function b() { } }\nclass C { function if() { } function class() { } public function list() { } }',
      'function b 2-2, class C 3-3, function C/if 3-3, function C/class 3-3, function C/list 3-3',
    ],
    ['<?php\nclass A { private ?B $c { get => 1; set { } } function d() { } }', 'class A 2-2, function A/d 2-2'],
    ['<?php\nfunction a { }\nfunction b() { }', 'function b 3-3'],
    ['<?php\nfunction', ''],
    ['<?php\nfunction a(', ''],
    ['<?php\nfunction a() {', 'function a 2-2'],
    ['<?php\nclass A', ''],
    ['<?php\nclass A {', 'class A 2-2'],
  ])
  t.same(
    importsOf(
      'php',
      '<?php\nuse A\\B;\nuse C as D;\nuse E\\{F, G as H};\nuse function I\\j;\nrequire "a.php";\nrequire_once __DIR__ . "/b.php";\ninclude("c.php");\n',
    ),
    ['2 A\\B', '3 C', '4 E {F G}', '5 I\\j', '6 a.php', '7 /b.php', '8 c.php'],
  )
})

test('PHP: what begins and ends code, a header or a use', async t => {
  checkSpans(t, 'php', [
    ['<?= f() ?> function no() {}\n<?php function a() {}', 'function a 2-2'],
    ['<?function a() {} ?>', 'function a 1-1'],
    ['<?phpfunction a() {}', 'function a 1-1'],
    ['<?php\n// function b() {\n# function c() {\nfunction a() {}', 'function a 4-4'],
    ['<?php #[A] function a() {}\n#[B]\nfunction c() {}', 'function a 1-1, function c 3-3'],
    ['<?php\n/* a */ # [ function b() {\nfunction a() {}', 'function a 3-3'],
    ['<?php\nclass A (B) { use C; function c() {} }\nuse D;', 'class A 2-2, function A/c 2-2'],
    ['<?php\nclass A { use B; }\nuse C;\nuse D\\{E, F as G, H};', 'class A 2-2'],
    ['<?php ?>function no() {}<?php function a() {}', 'function a 1-1'],
    ['<?php ?><?php function a() {}', 'function a 1-1'],
    ['<?php\n$a = new class (1) { use B; };\nuse C;\n$d = new class extends E { function f() { } };', 'function f 4-4'],
    ['<?php\nuse A, B as C, D;\nuse const E\\F;\nuse function G\\{h, i};', ''],
    ['<?php\nA::use; $b->use; A::class; const use = 1; function use() { }', 'function use 2-2'],
    ["<?php\n$a = <<<'EOT'\nEOTX\n  EOT;\nfunction b() { }", 'function b 5-5'],
    ['<?php\n$a = $b <<< function c() { };\nfunction d() { }', 'function c 2-2, function d 3-3'],
  ])
})

test('PHP: imports of every form, and what is none', async t => {
  t.same(importsOf('php', '<?php\nclass A { use B; }\nuse C;\nuse D\\{E, F as G, H};'), ['3 C', '4 D {E F H}'])
  t.same(importsOf('php', '<?php\n$x << 2;\n$y = <<<1;\nfunction a() {}\n$z = $a <<<b;\nfunction c() {}'), [])
  t.same(importsOf('php', '<?php\nclass A;\nclass B = 1;\nuse C;\nclass D + { use E; }\nuse F;'), ['4 C', '5 E', '6 F'])
  t.same(importsOf('php', '<?php\nuse A'), [])
  t.same(importsOf('php', "<?php\nrequire;\n$a = 'b';\nrequire $c . 'd' . 'e';\nuse F;"), ['4 d', '5 F'])
  t.same(importsOf('php', '<?php\nrequire'), [])
  t.same(importsOf('php', "<?php\n$a->require('b.php'); A::include('c.php'); $a->use(B); function require($a) { }"), [])
})

test('PHP: the file that is required is the first text, up to 30 tokens away', async t => {
  const required = (begin: string): string[] => importsOf('php', `<?php\nrequire ${begin}${'a . '.repeat(14)}'x.php';`)
  t.same(required(''), ['2 x.php'])
  t.same(required('('), [])
})
