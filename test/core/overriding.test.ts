import { test } from 'tap'
import { overriding } from '../../src/core/overriding.ts'

test('what is there is taken, the rest comes from the other object, also when that makes it on demand', async t => {
  const base = new Proxy({} as { a: () => string; b: () => string }, {
    get: (_own, name) => () => `base ${String(name)}`,
  })
  const both = overriding(base, { b: () => 'own b', c: () => 'own c' })
  t.same([both.a(), both.b(), both.c()], ['base a', 'own b', 'own c'])
})
