import { test } from 'tap'
import { isUnspaced, tokensOf } from '../../../../src/edits/parts/request/tokens.ts'

test('words, quotes and marks of a request are told apart', async t => {
  const told = (text: string) => tokensOf(text).map(({ text: own, kind }) => (kind === 'quoted' ? `<${own}>` : own))
  t.same(told('Remove `a b`, "c" and load(x). Then\n- go'), [
    ...['Remove', '<a b>', ',', '<c>', 'and', 'load(x)', '.', 'Then', '\n', '•', 'go'],
  ])
  t.same(told("don't a->b → c.py"), ["don't", 'a', '->', 'b', '->', 'c.py'])
  t.same(told('a\n```\nremove b\n```\nc'), ['a', '\n', 'c'], 'blocks of code say nothing')
  t.same(told('a\n  ```\nremove b\n```\nc'), ['a', '\n', 'c'], 'also where their marks are not aligned')
  t.same(told('a\n~~~\n```\nremove b\n~~~\nc'), ['a', '\n', 'c'], 'each ends with its own mark')
  t.same(told('删除 load()'), ['删除', 'load()'])
  t.same(tokensOf('old を').map(isUnspaced), [false, true])
  t.ok(tokensOf('`'.repeat(40_000)).length <= 20_000)
})
