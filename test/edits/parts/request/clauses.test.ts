import { test } from 'tap'
import { clausesOf } from '../../../../src/edits/parts/request/clauses.ts'
import { tokensOf } from '../../../../src/edits/parts/request/tokens.ts'

test('each clause of a request asks for something, keeps something, or says when and why', async t => {
  const told = (text: string): string[] =>
    clausesOf(tokensOf(text)).map(({ tokens, mode }) => `${mode}: ${tokens.map(token => token.text).join(' ')}`)
  t.same(told('Remove a. Keep b, remove c'), ['asks: Remove a', 'keeps: Keep b', 'asks: , remove c'])
  t.same(told('Remove a without changing b'), ['asks: Remove a', 'keeps: without changing b'])
  t.same(told('Remove a, not b'), ['asks: Remove a', 'keeps: , not b'])
  t.same(told('a is not used any more, remove it'), ['asks: a is not used any more , remove it'])
  t.same(told('If x fails, remove a'), ['says: If x fails , remove a'])
  t.same(told('Use a instead of b'), ['asks: Use a', 'says: instead of b'])
  t.same(told('Remove a (not b)'), ['asks: Remove a', 'keeps: not b'])
  t.same(told('Remove:\n- a (old)\n- b'), ['asks: Remove :', 'asks: Remove a', 'asks: Remove b', 'asks: old'])
})
