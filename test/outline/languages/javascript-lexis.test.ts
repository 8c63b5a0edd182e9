import { test } from 'tap'
import { JAVASCRIPT } from '../../../src/outline/languages/javascript-lexis.ts'
import { tokenizeSource } from '../../../src/outline/lexis/lexer.ts'
import { checkSpans, spans } from '../spans.ts'

/** The tokens of a text, with a `·` between them. */
function cut(text: string): string {
  const tokens = tokenizeSource(text, JAVASCRIPT)
  return Array.from({ length: tokens.count }, (_, at) => tokens.textOf(at)).join('·')
}

test('braces in templates, regular expressions, comments and JSX text do not count', async t => {
  t.same(
    spans(
      'javascript',
      `const a = () => \`{ \${b.map(c => \`}\${c}\`)} {\`
function d () {
  return /[/}]'/.test(x) ? a / b / "}" : /}/
} /* { */ // {
function E () {
  return <F x={() => { return '}' }} y="}">don't {z ? <G /> : <>it's</>} }</F>
}
function h () {
}
`,
    ),
    ['function a 1-1', 'function d 2-4', 'function E 5-7', 'function h 8-9'],
  )
})

test('JavaScript: literals, regular expressions and JSX hold no code', async t => {
  checkSpans(t, 'javascript', [
    ['a = "{\\"" + \'{\\\'\'\nfunction b () {}', 'function b 2-2'],
    [`a = \`{ $\{b ? \`}\` : "}"} {\`\nfunction c () {}`, 'function c 2-2'],
    [`a = \`$\{{ b: 1 }}\`\nfunction c () {}`, 'function c 2-2'],
    ['a = /[/{]/.b\nc = d / e / f\nfunction g () {}', 'function g 3-3'],
    ['a = b\n/c/{d}\nfunction e () {}', 'function e 3-3'],
    ['if (a) /}/.b()\nwhile (c) /}/.d()\nfor (;;) /}/.e()\n(f) / g / h\nfunction i () {}', 'function i 5-5'],
    ['a = [/}/, /{/]\nb(/}/)\nreturn /}/\ntypeof /}/\nfunction c () {}', 'function c 5-5'],
    ['a++ / b; c-- / d\nfunction e () {}', 'function e 2-2'],
    ['a = 1 / 2 / 3; b = "x" / c; d = e[0] / f\nfunction g () {}', 'function g 2-2'],
    ['a = {}\n/}/.b\nfunction c () {}', 'function c 3-3'],
    ['// }\n/* } */ function a () { /* { */ }', 'function a 2-2'],
    ['#!/usr/bin/env node {\nfunction a () {}', 'function a 2-2'],
    ["const a = <b>don't {c}</b>\nfunction d () {}", 'function d 2-2'],
    ['const a = <b c="}" d={() => { }} />\nfunction e () {}', 'function e 2-2'],
    ['const a = <><b/>{c}</>\nfunction d () {}', 'function d 2-2'],
    ['const a = <A.B c:d="e" f-g>}</A.B>\nfunction h () {}', 'function h 2-2'],
    ['const a = <b><c><d/></c>}</b>\nfunction e () {}', 'function e 2-2'],
    ['return <a>{b ? <c>}</c> : <d>{</d>}</a>\nfunction e () {}', 'function e 2-2'],
    ['a = b < c && d > e\nfunction f () {}', 'function f 2-2'],
    ['a < b\nc > (d)\nfunction e () {}', 'function e 3-3'],
    ['const a = <T,>(b) => { }\nfunction c () {}', 'function a 1-1, function c 2-2'],
    ['a = <b\n  c={`}`}\n  // }\n  d="\'"\n>\n</b>\nfunction e () {}', 'function e 7-7'],
    ["const a = b ? <c/> : <D>'</D>\nfunction e () {}", 'function e 2-2'],
    ['const a = <b>{/* } */}</b>\nfunction c () {}', 'function c 2-2'],
    ['const a = <_a>}</_a>\nconst b = <$c>}</$c>\nfunction d () {}', 'function d 3-3'],
    ['const a = <Z>}</Z>, b = <z>}</z>\nfunction c () {}', 'function c 2-2'],
    ['const a = <b c={<d>}</d>}>}</b>\nfunction e () {}', 'function e 2-2'],
    ['const a = (<b>}</b>)\nfunction c () {}', 'function c 2-2'],
    ['a = <b>}', ''],
    [`a = \`$\{`, ''],
    ['a = /b', ''],
    ['a = "b\nfunction c () {}', 'function c 2-2'],
    ["a = 'b\nfunction c () {}", 'function c 2-2'],
    ['a = <b c="', ''],
  ])
})

test('what begins with a name or nothing behind `<` is an element, and its text no code', async t => {
  const names = ['', 'a', 'z', 'A', 'Z', '_', '$', 'a0', 'a9', 'a-b', 'a.b', 'a:b', 'Za._$-9:z']
  for (const name of names) {
    const text = `const x = <${name}>\`</${name}>\nfunction y () {}`
    t.same(spans('javascript', text), ['function y 2-2'], text)
  }
  for (const name of names.slice(1)) {
    const text = `const x = <${name} b="\n\`"/>\nfunction y () {}`
    t.same(spans('javascript', text), ['function y 3-3'], text)
  }
  for (const name of ['@', '[', '{', '-', '0', '=']) {
    const text = `const x = <${name}>\`</${name}>\`\nfunction y () {}`
    t.same(spans('javascript', text), ['function y 2-2'], text)
  }
})

test('arguments of types are no element, though one of their name is closed further down', async t => {
  const closed = "\nfunction c () {}\nconst d = <T>'</T>\nfunction e () {}"
  checkSpans(t, 'typescript', [
    [`const a = <T,>(b: T) => { }${closed}`, 'function a 1-1, function c 2-2, function e 4-4'],
    [`const a = <T|U>b('{')${closed}`, 'function c 2-2, function e 4-4'],
    [`const a = <T<U>>b('{')${closed}`, 'function c 2-2, function e 4-4'],
  ])
})

test('templates are cut at their expressions, with the braces in those counted', async t => {
  t.equal(cut('a `b` c'), 'a·`b`·c')
  t.equal(cut('a `b\\`{` c'), 'a·`b\\`{`·c')
  t.equal(cut('`$a {` b'), '`$a {`·b')
  t.equal(cut(`a \`b $\{c} d\` e`), 'a·`b ·{·c·}· d`·e')
  t.equal(cut(`\`a$\{b}c$\{d}e\` f`), '`a·{·b·}·c·{·d·}·e`·f')
  t.equal(cut(`\`$\{{ b: 1 }} {\` c`), '`·{·{·b·:·1·}·}· {`·c')
  t.equal(cut(`\`$\{ {a: {b}} } {\` c`), '`·{·{·a·:·{·b·}·}·}· {`·c')
  t.equal(cut(`\`$\{a(\`$\{b}\`)}\` c`), '`·{·a·(·`·{·b·}·`·)·}·`·c')
})

test('a slash divides behind a value and begins a regular expression where one may stand', async t => {
  for (const value of ['a', '1', '"a"', '`a`', '/a/', 'a()', 'a[0]', '{ }']) {
    const before = cut(`b = ${value}`)
    t.equal(cut(`b = ${value} / c / d`), `${before}·/·c·/·d`)
  }
  for (const begin of ['a =', 'a +', '(', '[', 'a ? b :', 'return', 'typeof', 'case', 'if (a)', 'while (a)', '{ }\n']) {
    t.equal(cut(`${begin} /[/{]\\/'/.c`), `${cut(begin)}·/[/{]\\/'/·.·c`, begin)
  }
  t.equal(cut('a = /b/g.c'), 'a·=·/b/·g·.·c')
  t.equal(cut('a = /b\nc / d'), 'a·=·/·b·c·/·d', 'none ends on another line')
  t.equal(cut('a = b /* c */ / d // e'), 'a·=·b·/·d')
})

test('of an element only the code in its braces is read, and one mark at its end', async t => {
  for (const element of ['<></>', '<b/>', '<b />', '<b c/>', '<b>c</b>', '<b><c/></b>', '<b>*</b>', '<b\n></b>']) {
    t.equal(cut(`a = ${element} + d`), 'a·=·>·+·d', element)
  }
  for (const tag of ['c="/>"', "c='>'", 'c=d => e', '/* > */', '/* " */ c', 'c=*', 'c:d="{"', 'c-d']) {
    t.equal(cut(`a = <b ${tag}/> + d`), 'a·=·>·+·d', tag)
    t.equal(cut(`a = <b ${tag}>'</b> + d`), 'a·=·>·+·d', tag)
  }
  t.equal(cut('a = <b>{c}{d}</b> + e'), 'a·=·{·c·}·{·d·}·>·+·e')
  t.equal(cut('a = <b c={() => { }}>"</b> + e'), 'a·=·{·(·)·=>·{·}·}·>·+·e')
  t.equal(cut(`a = <b>"{'}'}"</b>;c`), "a·=·{·'}'·}·>·;·c")
  t.equal(cut('a = <b>{<c>{d}</c>}</b>;e'), 'a·=·{·{·d·}·>·}·>·;·e')
})
