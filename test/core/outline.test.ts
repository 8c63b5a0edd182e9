import { test } from 'tap'
import { containerOf, isScopeKind, type Scope } from '../../src/core/outline.ts'

const scope = (name: string, parent: number | null): Scope => ({
  name,
  kind: 'function',
  startLine: 1,
  endLine: 2,
  leadLine: 1,
  parent,
})

test('the container of a definition is the scope around it', async t => {
  const outline = { scopes: [scope('Cart', null), scope('total', 0)], imports: [] }
  t.equal(containerOf(outline, { parent: 0 }), 'Cart')
  t.equal(containerOf(outline, { parent: null }), null)
  t.equal(containerOf(outline, { parent: 7 }), null, 'a scope that is not there')
})

test('only known kinds are kinds of scopes', async t => {
  t.ok(isScopeKind('class'))
  t.notOk(isScopeKind('klass'))
  t.notOk(isScopeKind(undefined))
})
