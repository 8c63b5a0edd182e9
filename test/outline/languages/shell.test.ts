import { test } from 'tap'
import { checkSpans, importsOf, spans } from '../spans.ts'

test('shell: functions of either form; here-documents, strings and expansions are no code', async t => {
  t.same(
    spans(
      'shell',
      `#!/bin/sh
. ./lib.sh
f() {
  echo "} $(g "}") \${x#\\}}" # }
  cat <<-'EOF'
\tg() {
\tEOF
}
function h
{
  case $x in a) echo;; esac
  i () ( cd /; )
}
`,
    ),
    ['function f 3-8', 'function h 9-13', 'function h/i 12-12'],
  )
  t.same(importsOf('shell', '. ./lib.sh\nsource "a.sh"\n'), ['1 ./lib.sh', '2 a.sh'])
})

test('shell: a function begins wherever a command may', async t => {
  t.same(
    spans('shell', 'f () ( a )\nfunction g ()\n{\n b\n}\nh() { c; }; i() { d; } && j() { e; }\necho m() { h; }\n'),
    ['function f 1-1', 'function g 2-5', 'function h 6-6', 'function i 6-6', 'function j 6-6'],
  )
  t.same(spans('shell', 'if a; then k() { f; }; else l() { g; }; fi\nfunction a-b:c.d { :; }\n'), [
    'function k 1-1',
    'function l 1-1',
    'function a-b:c.d 2-2',
  ])
  t.same(spans('shell', 'function\nf() { :; }\ng() h\n'), ['function f 2-2'])
})

test('shell: quotes in a substitution are its own', async t => {
  t.same(spans('shell', 'a="$(b "}" \'}\' \\" (c) )" # }\nf() { :; }\n'), ['function f 2-2'])
  t.same(spans('shell', "a=$'\\'}' b=$# c=$(d) e=$\"f\"\nf() { echo $1 x#y; }\n"), ['function f 2-2'])
})

test('shell: expansions hold each other', async t => {
  t.same(
    spans(
      'shell',
      `f() { a=\${b:-\${c}} d=\${e//\\}/{}; }
g() { :; }
`,
    ),
    ['function f 1-1', 'function g 2-2'],
  )
})

test('shell: here-documents of one line follow each other, in order', async t => {
  t.same(spans('shell', 'cat <<A <<"B" <<-\\C\nf() {\nA\ng() {\nB\nh() {\n\tC\ni() { :; }\n'), ['function i 8-8'])
  t.same(spans('shell', 'cat <<EOF\nf() {\n'), [], 'one that is never closed goes on to the end')
  t.same(spans('shell', 'f() { cat <<< "a"; }\ng() { :; }\n'), ['function f 1-1', 'function g 2-2'])
  t.same(spans('shell', "f() { cat <<<'}'; }\ng() { :; }\n"), ['function f 1-1', 'function g 2-2'])
})

test('shell: files are sourced by a command', async t => {
  t.same(importsOf('shell', 'source "c d.sh"\nx | source e.sh\necho source f.sh\n'), ['1 c d.sh', '2 e.sh'])
})

test('shell: in single quotes nothing ends but by the next single quote', async t => {
  for (const quoted of [
    `'}'`,
    `'say "hi'`,
    `'a \\'`,
    `'$(f'`,
    `'$\{x'`,
    `'# {'`,
    `'<<EOF'`,
    `'f() {'`,
    `'a\n}\nb'`,
    `''`,
  ]) {
    const lines = quoted.split('\n').length
    t.same(
      spans('shell', `f() {\n  echo ${quoted}\n}\ng() { echo ${quoted}; }\n`),
      [`function f 1-${lines + 2}`, `function g ${lines + 3}-${2 * lines + 2}`],
      quoted,
    )
  }
})

test('shell: a sourced file stands on the line of its command, in quotes or not', async t => {
  t.same(importsOf('shell', 'source a\n. b c\nsource\n.\nx\n. d\nsource "e f"\n. \'g\'\n'), [
    '1 a',
    '2 b',
    '6 d',
    '7 e f',
    '8 g',
  ])
})

test('shell: forms of functions, and what is none', async t => {
  checkSpans(t, 'shell', [
    ['f() { :; }', 'function f 1-1'],
    ['f ( ) { :; }', 'function f 1-1'],
    ['f() (\n  a\n)', 'function f 1-3'],
    ['f()\n{\n}', 'function f 1-3'],
    ['function f { :; }\nfunction g() { :; }\nfunction h ( :; )', 'function f 1-1, function g 2-2, function h 3-3'],
    ['function f\n{\n}', 'function f 1-3'],
    ['f(a) { :; }', ''],
    ['f { :; }', ''],
    ['f (', ''],
    ['f()', ''],
    ['function f', ''],
    ['f() {', 'function f 1-1'],
    ['a | f() { :; }', 'function f 1-1'],
    ['a & f() { :; }', 'function f 1-1'],
    ['( f() { :; } )', 'function f 1-1'],
    ['while a; do f() { :; }; done', 'function f 1-1'],
    ['f() a\ng() { :; }', 'function g 2-2'],
    ['a f() { :; }', ''],
    ['"f"() { :; }', ''],
    ['f.g-h:i() { :; }', 'function f.g-h:i 1-1'],
    ['f() { g() { :; }; }', 'function f 1-1, function f/g 1-1'],
    ['if f() { :; }\nthen :; fi', ''],
    ['2() { :; }', ''],
  ])
})

test('shell: what a string, a comment or a here-document holds is no code', async t => {
  checkSpans(t, 'shell', [
    ['a=1#b }\nf() { :; } # }', 'function f 2-2'],
    ['f() { a#}\n}', 'function f 1-1'],
    ['f() { (#}\n); }', 'function f 1-2'],
    ['f() { a;#}\n}', 'function f 1-2'],
    ['f() { \\}\n}', 'function f 1-2'],
    ['f() { \\\\\n}', 'function f 1-2'],
    ['f() { "\\"}"\n}', 'function f 1-2'],
    ['f() { "$(a "}")" }', 'function f 1-1'],
    ['f() { "$(a \\) "}")"; }', 'function f 1-1'],
    ['f() { "$(a (b) "}")"; }', 'function f 1-1'],
    ['f() { "$(a \'\\"\' \\")" }\n}', 'function f 1-1'],
    ['f() { "$a}"; }', 'function f 1-1'],
    ['f() { $}\n}', 'function f 1-2'],
    ['f() { $"}"; }', 'function f 1-1'],
    ["f() { $'\\'}'; }", 'function f 1-1'],
    [`f() { $\{a:-\\}}; }`, 'function f 1-1'],
    [`f() { $\{a:-$\{b}}; }`, 'function f 1-1'],
    [`f() { $\{a:-{}; }`, 'function f 1-1'],
    ['f() { $(a; ) }', 'function f 1-1'],
    ['cat <<A\nf() {\nA\ng() { :; }', 'function g 4-4'],
    ['cat << A\nf() {\nA\ng() { :; }', 'function g 4-4'],
    ['cat <<-A\nf() {\n\tA\ng() { :; }', 'function g 4-4'],
    ["cat <<'A'\nf() {\nA\ng() { :; }", 'function g 4-4'],
    ['cat <<\\A\nf() {\nA\ng() { :; }', 'function g 4-4'],
    ['cat <<<A\nf() { :; }', 'function f 2-2'],
    ['cat <<A.b-c\nf() {\nA.b-c\ng() { :; }', 'function g 4-4'],
    ['a=$((1 << 2))\nf() { :; }', 'function f 2-2'],
    ['"\nf() {\n"', ''],
    ['"f() {', ''],
    ["'f() {", ''],
    [`$\{f() {`, ''],
    ['a <<A <<B\nA\nf() {\nB\ng() { :; }', 'function g 5-5'],
    ['<<A\n', ''],
  ])
  t.same(importsOf('shell', 'source a\n. b c\nsource\n.\nx . d\nsource "e"\n. \'f\''), ['1 a', '2 b', '6 e', '7 f'])
})

test('shell: an empty here-document, and empty lines', async t => {
  checkSpans(t, 'shell', [
    ['cat <<A\nA\nf() { :; }', 'function f 3-3'],
    ['\n\nf() { :; }', 'function f 3-3'],
  ])
})
