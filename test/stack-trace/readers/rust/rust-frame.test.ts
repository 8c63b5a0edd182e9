import { test } from 'tap'
import { rustRow } from '../../../../src/stack-trace/readers/rust/rust-frame.ts'

test('a function ends with the name that the source gives it', async t => {
  const names: Array<[printed: string, expected: string]> = [
    ['a::b::h0123456789abcdef', 'a::b'],
    ['a::each::<a::main::{closure#0}>', 'a::each'],
    ['<a::B as c::D<e>>::f', '<a::B as c::D<e>>::f'],
    ['a::b::{{closure}}::h0123456789abcdef', 'a::b::{{closure}}'],
    ['<F as core::ops::Fn() -> T>::call', '<F as core::ops::Fn() -> T>::call'],
  ]
  for (const [printed, expected] of names) t.equal(rustRow(`   1: ${printed}`)?.function, expected)
})
