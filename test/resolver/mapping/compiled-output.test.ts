import { test } from 'tap'
import {
  isOutput,
  isSourceOf,
  mayBeCompiled,
  sourceStem,
  tellingFolders,
} from '../../../src/resolver/mapping/compiled-output.ts'

test('what tools add to a name is taken off', async t => {
  for (const [name, stem] of [
    ['cart.js', 'cart'],
    ['cart.min.js', 'cart'],
    ['cart.prod.cjs', 'cart'],
    ['cart.1a2b3c4d.js', 'cart'],
    ['cart-1a2b3c4d.min.mjs', 'cart'],
    ['user.service.js', 'user.service'],
    ['cart.py', 'cart.py'],
  ] as const) {
    t.equal(sourceStem(name), stem, name)
  }
})

test('the source of a stem is code in a language that becomes JavaScript, no declaration of types', async t => {
  for (const name of ['cart.ts', 'Cart.tsx', 'cart.vue', 'cart.coffee']) t.equal(isSourceOf(name, 'cart'), true, name)
  for (const name of ['cart.d.ts', 'cart.py', 'carts.ts']) t.equal(isSourceOf(name, 'cart'), false, name)
})

test('folders of output and of sources do not tell which file it is', async t => {
  t.same(tellingFolders(['dist', 'ESM', 'shop', 'src', 'cart']), ['shop', 'cart'])
})

test('output is known by its folder or by its name', async t => {
  t.equal(isOutput(['dist', 'cart.js']), true)
  t.equal(isOutput(['shop', 'cart.min.js']), true)
  t.equal(isOutput(['shop', 'cart.js']), false)
  t.equal(mayBeCompiled('shop/cart.mjs'), true)
  t.equal(mayBeCompiled('shop/cart.ts'), false)
})
