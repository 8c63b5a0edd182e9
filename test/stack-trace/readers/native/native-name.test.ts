import { test } from 'tap'
import { demangle, nativeName } from '../../../../src/stack-trace/readers/native/native-name.ts'

test('a function ends with the name that the source gives it', async t => {
  const names: Array<[printed: string, expected: string | null]> = [
    ['acme::sell(int, std::string const&) const', 'acme::sell'],
    ['void acme::sell<int>(int)', 'acme::sell'],
    ['std::terminate() ()', 'std::terminate'],
    ['acme::A::operator()(int) const', 'acme::A::operator()'],
    ['(anonymous namespace)::sell(int)', '(anonymous namespace)::sell'],
    ['acme::sell(int) [clone .cold]', 'acme::sell'],
    ['acme::total() const::{lambda(int)#1}::operator()(int) const', 'acme::total'],
    ['??', null],
    ['n/a', null],
    ['main', 'main'],
    ['malloc@plt', 'malloc'],
    ['acme::each<acme::total()::{lambda(int)#1}>(int)', 'acme::each'],
  ]
  for (const [printed, expected] of names) t.equal(nativeName(printed), expected, printed)
  const symbols: Array<[symbol: string, expected: string]> = [
    ['_ZN4acme8checkoutERNS_4CartINS_4LineEEE', 'acme::checkout'],
    ['_ZNK4acme4CartINS_4LineEE4eachERKSt8functionIFvRKS1_EE', 'acme::Cart::each'],
    ['_ZN4acme4CartC2Ev', 'acme::Cart::Cart'],
    ['_ZN4acme4CartD1Ev', 'acme::Cart::~Cart'],
    ['_Z14sigSegvHandleri', 'sigSegvHandler'],
    ['_ZN4shop4cart5total17h0123456789abcdefE', 'shop::cart::total'],
    ['_Z', '_Z'],
  ]
  for (const [symbol, expected] of symbols) t.equal(demangle(symbol), expected, symbol)
})
