import { test } from 'tap'
import { importsOf, spans } from '../spans.ts'

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
