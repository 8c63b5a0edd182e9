import { test } from 'tap'
import { importsOf, spans } from '../spans.ts'

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
