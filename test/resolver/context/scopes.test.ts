import { test } from 'tap'
import { functionOf, qualifiedName, scopesAround } from '../../../src/resolver/context/scopes.ts'
import { scope } from './build-from.ts'

const SCOPES = [
  scope('Cart', 3, 20, { kind: 'class', leadLine: 1 }),
  scope('total', 6, 12, { parent: 0, leadLine: 5 }),
  scope('inner', 8, 9, { parent: 1 }),
  scope('count', 15, 18, { parent: 0 }),
  scope('main', 25, 30),
]

test('the scopes of a line are those that hold it, the innermost first', async t => {
  t.same(scopesAround(SCOPES, 8), [2, 1, 0])
  t.same(scopesAround(SCOPES, 11), [1, 0])
  t.same(scopesAround(SCOPES, 14), [0])
  t.same(scopesAround(SCOPES, 26), [4])
  t.same(scopesAround(SCOPES, 22), [])
})

test('a comment or decorator above a definition belongs to it', async t => {
  t.same(scopesAround(SCOPES, 5), [1, 0])
  t.same(scopesAround(SCOPES, 1), [0])
})

test('a scope is named with what it is in, and none has no name', async t => {
  t.equal(qualifiedName(SCOPES, [2, 1, 0]), 'Cart.total.inner')
  t.equal(qualifiedName(SCOPES, []), null)
})

test('the function of a line is the innermost one, never its class', async t => {
  t.equal(functionOf(SCOPES, [2, 1, 0]), 2)
  t.equal(functionOf(SCOPES, [0]), null)
})

test('an outline whose parents form a circle ends', async t => {
  t.same(scopesAround([scope('a', 1, 9, { parent: 1 }), scope('b', 1, 9, { parent: 0 })], 5).length, 2)
})
