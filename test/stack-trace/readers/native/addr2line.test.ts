import { test } from 'tap'
import { own, read } from './own-frames.ts'

test('symbolizers: addr2line, backtrace_symbols, boost, folly', async t => {
  t.same(own(read('addr2line-2.40')[0]?.frames)?.slice(0, 2), ['main main.cpp:71', 'acme::checkout cart.cpp:12'])
  t.same(read('glibc-2.36-backtrace')[0]?.frames.slice(2, 6), [
    'main null:null',
    'acme::checkout null:null',
    'acme::Cart::total null:null',
    'acme::Cart::each null:null',
  ])
  t.same(read('boost-1.74-stacktrace')[0]?.frames.slice(2, 4), ['main null:null', 'acme::checkout null:null'])
  t.same(read('folly-signal')[0]?.frames.slice(0, 2), [
    'facebook::velox::(anonymous namespace)::computeStringPointer ./fbcode/velox/vector/VectorSaver.cpp:185',
    'facebook::velox::detail::veloxCheckFail fbcode/velox/common/base/Exceptions.h:77',
  ])
  t.match(read('folly-signal')[0]?.head, /^root SIGABRT: Signal 6/)
})
