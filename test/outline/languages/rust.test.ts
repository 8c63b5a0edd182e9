import { test } from 'tap'
import { checkSpans, importsOf, scopesOf, spans } from '../spans.ts'

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

test('Rust: an impl is named after the type that it is for', async t => {
  t.same(
    spans(
      'rust',
      `struct A; impl A { }
impl<'a> B for &'a mut C { }
impl !Send for D {}
impl fmt::Debug for dyn e::E {}
impl<T> F<T> where T: A {}
impl for<'a> A<'a> for G {}
impl A for H where for<'a> D: E {}
`,
    ),
    ['struct A 1-1', 'impl A 1-1', 'impl C 2-2', 'impl D 3-3', 'impl E 4-4', 'impl F 5-5', 'impl G 6-6', 'impl H 7-7'],
  )
})

test('Rust: impl as a type, without a body or with angles that are never closed is no definition', async t => {
  t.same(spans('rust', 'fn f(x: impl A, y: B) -> impl C + D { x }\nlet x: impl A = { 1 };\n'), ['function f 1-1'])
  t.same(spans('rust', 'impl A<B {\n}\nimpl A;\nimpl A = B {}\n'), [])
})

test('Rust: union is a name where no type follows', async t => {
  t.same(spans('rust', 'union U { a: u8 }\nunion V<T> { a: T }\nfn union(x: A) { union a = b; }\n'), [
    'struct U 1-1',
    'struct V 2-2',
    'function union 3-3',
  ])
})

test('Rust: characters are no lifetimes', async t => {
  t.same(
    spans('rust', "fn a() { let x = '{'; let y = '\\''; let z = '😀'; 'outer: loop { } }\nfn b<'c>(x: &'c D) {}\n"),
    ['function a 1-1', 'function b 2-2'],
  )
})

test('Rust: raw strings by their prefix and their hashes', async t => {
  t.same(spans('rust', 'fn a() { br##"}"#"##; cr"}\\"; b"\\"}"; "\\"}" }\nfn b() {}\n'), [
    'function a 1-1',
    'function b 2-2',
  ])
})

test('Rust: what a use takes, from each path in its tree', async t => {
  t.same(importsOf('rust', 'use ::a;\nuse a::*;\nuse a as b;\npub use super::x;\nuse {i, j::k};\n'), [
    '1 ::a',
    '2 a::*',
    '3 a',
    '4 super::x',
    '5 j::k',
  ])
  t.same(importsOf('rust', 'use a::{b as c, d::*, e::{f, g::h}, self};\n'), [
    '1 a::d::*',
    '1 a::e::g::h',
    '1 a::e {f}',
    '1 a {b self}',
  ])
})

test('Rust: what is no use takes nothing, and code behind it is read', async t => {
  t.same(importsOf('rust', 'use (a);\nuse a<b>;\nuse a::{b, c\n'), [])
  t.same(spans('rust', 'use (a);\nfn f() {}\n'), ['function f 2-2'])
})

test('Rust: a path of more than 400 characters is left out, with all that is below it', async t => {
  const path = 'a'.repeat(398)
  t.same(importsOf('rust', `use ${path}::{b};\n`), [`1 ${path} {b}`])
  t.same(importsOf('rust', `use a${path}::{b, c::{d}};\nuse e;\n`), ['2 e'])
})

test('Rust: a macro is one function, whatever brackets hold its rules', async t => {
  t.same(spans('rust', 'macro_rules! m (\n () => { fn no() {} }\n);\nmacro_rules! n { }\nfn f() {}\n'), [
    'function m 1-3',
    'function n 4-4',
    'function f 5-5',
  ])
  t.same(spans('rust', 'macro_rules! (a);\nmacro_rules x {}\nfn f() {}\n'), ['function f 3-3'])
})

test('Rust: modifiers with arguments, functions without a body', async t => {
  t.same(
    scopesOf('rust', '#[a]\npub(in b::c)\ndefault unsafe fn d() {}\nextern "C" { fn e(); }\n').map(
      ({ name, leadLine, startLine, endLine }) => `${name} ${leadLine} ${startLine}-${endLine}`,
    ),
    ['d 1 2-3', 'e 4 4-4'],
  )
})

test('Rust: an impl goes on over the commas between its bounds, a type in a list does not', async t => {
  checkSpans(t, 'rust', [
    [
      "impl<T> A<T> for b::C<T>\nwhere\n    T: D,\n    T: for<'a> E<'a>,\n{\n    fn f() {}\n}",
      'impl C 1-7, function C/f 6-6',
    ],
    ['fn f(\n    impl A,\n    b: C) { }', 'function f 1-3'],
    ['impl A,\nfn f() {}', 'function f 2-2'],
  ])
})

test('Rust: items of every form', async t => {
  checkSpans(t, 'rust', [
    ["pub(crate) async unsafe fn f<'a, T: A<B>>(b: &'a T) -> Result<(), [u8; 3]> where T: C {\n}", 'function f 1-2'],
    ['fn f() -> impl Fn(u8) -> u8 {\n}\nfn g() {}', 'function f 1-2, function g 3-3'],
    ['extern "C" {\n    fn f(a: u8);\n}', 'function f 2-2'],
    ['pub extern "C" fn f() {\n}', 'function f 1-2'],
    ['const fn f() {}\nconst A: u8 = 1;\nstatic B: u8 = 2;', 'function f 1-1'],
    [
      'struct A;\nstruct B(u8);\nstruct C<T>(T) where T: D;\nstruct E<T: F = G> {\n    h: T,\n}',
      'struct A 1-1, struct B 2-2, struct C 3-3, struct E 4-6',
    ],
    ['union A {\n    b: u8,\n}\nfn f(union: u8) { union = 1; }', 'struct A 1-3, function f 4-4'],
    ['union A<T> {\n    b: T,\n}', 'struct A 1-3'],
    ['pub enum A<T> {\n    B { c: u8 },\n    D(T),\n}', 'enum A 1-4'],
    [
      'trait A: B<C> {\n    type D;\n    fn e(&self);\n    fn f() {\n    }\n}',
      'trait A 1-6, type A/D 2-2, function A/e 3-3, function A/f 4-5',
    ],
    ['mod a;\nmod b {\n    fn c() {}\n}\npub mod d;', 'module b 2-4, function b/c 3-3'],
    ['type A<T> = Vec<T>;', 'type A 1-1'],
    ['impl A {\n    pub fn b(&self) {}\n}', 'impl A 1-3, function A/b 2-2'],
    ['unsafe impl<T: A<B>> !C for D<T> {}', 'impl D 1-1'],
    ['impl A for &mut B {}', 'impl B 1-1'],
    ['impl A for *const b::C {}', 'impl C 1-1'],
    ['impl<T> A for (T, B) {}', ''],
    ['impl A for [u8] {}', ''],
    ['impl A for dyn B + C {}', 'impl B 1-1'],
    ["impl<F> A for F where F: for<'a> Fn(&'a u8) {}", 'impl F 1-1'],
    ["impl for<'a> A<'a> for B {}", 'impl B 1-1'],
    ['fn f(a: impl B) -> impl C { }\nlet b: impl D = e;', 'function f 1-1'],
    ['} impl A {}\n; impl B {}', 'impl A 1-1, impl B 2-2'],
    [
      'macro_rules! a {\n    ($b:expr) => { fn c() {} };\n}\nmacro_rules! d ( () => {} );\nfn e() {}',
      'function a 1-3, function d 4-4, function e 5-5',
    ],
    ['macro_rules! a', ''],
  ])
  t.same(importsOf('rust', 'mod a;\nmod b {\n    fn c() {}\n}\npub mod d;'), ['1 self::a', '5 self::d'])
})

test('Rust: literals and comments hold no code', async t => {
  checkSpans(t, 'rust', [
    ['/* fn a() { /* } */ fn b() {} */ fn c() {}', 'function c 1-1'],
    ["fn a() { '}'; '\\''; '\\u{7d}'; '😀'; b'{'; }\nfn b<'a>(c: &'a str) {}", 'function a 1-1, function b 2-2'],
    ['fn a() { "}\\"}"; b"}"; }\nfn b() {}', 'function a 1-1, function b 2-2'],
    ['fn a() { r"\\"; br"}"; r#"}"}"#; br##"}"#}"##; r#b; }\nfn b() {}', 'function a 1-1, function b 2-2'],
    ['fn a() { xr"}"; }', 'function a 1-1'],
    ['fn a() { er"\\"; }"; }\nfn b() {}', 'function a 1-1, function b 2-2'],
    ['#[a(b = "}")]\n#![c]\nfn d() {}', 'function d 3-3'],
    ['// fn a() {\n/// fn b() {\nfn c() {}', 'function c 3-3'],
    ['fn a() {', 'function a 1-1'],
    ['fn a(', ''],
    ['fn', ''],
    ['impl A', ''],
    ['impl A for', ''],
    ['struct A', ''],
    ['struct', ''],
    ['trait A {\n    fn b();', 'trait A 1-2, function A/b 2-2'],
    ['fn a() }', ''],
    ['fn 1() {}', ''],
    ['struct fn {}', ''],
    ['impl A; impl B, impl C = 1;', ''],
  ])
})

test('Rust: what a type captures is no import, and imports go over groups, stars and names for nothing', async t => {
  t.same(importsOf('rust', "fn a() -> impl B + use<'c, D> { }\nfn e() -> impl F + use<> + G { use h::i; }"), ['2 h::i'])
  t.same(importsOf('rust', 'use a as _;\nuse b::{self, c as _};\nuse d::e::*;\nuse ::f::g;'), [
    '1 a',
    '2 b {self c}',
    '3 d::e::*',
    '4 ::f::g',
  ])
})

test('Rust: a word that is made a name by r# is that name, everywhere', async t => {
  t.same(importsOf('rust', 'use r#async::x;\nuse a::r#type;\nuse b::{r#dyn::c, r#mod, r#fn as d};\nmod r#impl;\n'), [
    '1 async::x',
    '2 a::type',
    '3 b::dyn::c',
    '3 b {mod fn}',
    '4 self::impl',
  ])
  checkSpans(t, 'rust', [
    [
      'fn r#async() {\n}\nstruct r#type { a: u8 }\nmod r#mod { trait r#dyn {} }',
      'function async 1-2, struct type 3-3, module mod 4-4, trait mod/dyn 4-4',
    ],
    ['impl r#type { }\nimpl A for b::r#use<C> { }', 'impl type 1-1, impl use 2-2'],
    ['macro_rules! r#try { () => {} }\nfn a() { r#struct(b) }', 'function try 1-1, function a 2-2'],
    ['fn r#größe2() { }\nfn r#_() { }', 'function größe2 1-1, function _ 2-2'],
    ['fn a() { r#impl { b: c } }\nr #fn d() { }', 'function a 1-1, function d 2-2'],
    ['fn a() { br#fn b() {} }', 'function a 1-1, function a/b 1-1'],
  ])
  t.same(
    scopesOf('rust', 'fn\nr#async() {}').map(({ leadLine, startLine }) => [leadLine, startLine]),
    [[1, 1]],
  )
})
