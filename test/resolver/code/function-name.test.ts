import { test } from 'tap'
import { functionParts } from '../../../src/resolver/code/function-name.ts'

test('the name of a function is what its definition spells, whatever a runtime makes of it', async t => {
  for (const [printed, name, owner] of [
    ['total', 'total', null],
    ['Vec<T>::push', 'push', 'Vec'],
    ['shop::Cart<A, B>::total', 'total', 'Cart'],
    ['Cart$1.add', 'add', 'Cart'],
    ['Cart$1$Totals.add', 'add', 'Totals'],
    ['Object.total', 'total', null],
    ['new Till', 'Till', null],
    ['Shop.sell [as trade]', 'sell', 'Shop'],
    ['async fetchAll', 'fetchAll', null],
    ['Cart.total.<locals>.add', 'add', null],
    ['größe', 'größe', null],
    ['_.extend._publish', '_publish', null],
    ['com.acme.Cart$Totals.<init>', 'Totals', 'Totals'],
    ['com.acme.Shop.lambda$open$0', 'open', 'Shop'],
    ['Foo$bar$1.invokeSuspend', 'bar', 'Foo'],
    ['Shop.Providers.ImageProvider`1.<FetchInternal>d__c.MoveNext()', 'FetchInternal', 'ImageProvider'],
    ['Shop.Drives.<>c.<GetDrives>b__32_0(DriveInfo d)', 'GetDrives', null],
    ['Shop.Config.Get[T](IManager manager, String key)', 'Get', 'Config'],
    ['Shop.Cart..ctor(Int32 size)', 'Cart', 'Cart'],
    ['example.com/shop/cart.(*Cart).load.func1', 'load', 'Cart'],
    ['main.main', 'main', null],
    ['shop::Cart::Total(unsigned long*)', 'Total', 'Cart'],
    ['shop::Cart::~Cart()', 'Cart', 'Cart'],
    ['shop::cart::total::h0123456789abcdef', 'total', 'cart'],
    ['shop::run::{{closure}}', 'run', 'shop'],
    ['<T as shop::Sell>::sell', 'sell', null],
    ['Shop::Cart#total', 'total', 'Cart'],
    ['block (2 levels) in Shop::Cart#total', 'total', 'Cart'],
    ['Shop\\Cart->total(Object(Line))', 'total', 'Cart'],
    ['Shop.Cart.total/2', 'total', 'Cart'],
  ] as const) {
    const parts = functionParts(printed)
    t.equal(parts?.name, name, printed)
    if (owner !== null) t.equal(parts?.owner, owner, printed)
  }
})

test('code of no function has no name', async t => {
  for (const printed of [
    '<module>',
    '<lambda>',
    'Object.<anonymous>',
    'eval',
    '<main>',
    '<top (required)>',
    '',
    null,
  ]) {
    t.equal(functionParts(printed), null, String(printed))
  }
})
