import { test } from 'tap'
import { contentOf, readFence } from '../../../src/edits/read/fence-lines.ts'

test('a fence is three or more of one character, with what follows them', async t => {
  t.same(readFence('```'), { indent: 0, mark: '```', info: '' })
  t.same(readFence('  ~~~~ python '), { indent: 2, mark: '~~~~', info: 'python' })
  t.same(readFence('\t```a b'), { indent: 1, mark: '```', info: 'a b' })
  t.same(readFence('~~~ a`b'), { indent: 0, mark: '~~~', info: 'a`b' })
  for (const line of ['``', '~~', '', 'x```', '```a```', '``` `', '---', '~`~']) t.equal(readFence(line), null, line)
})

test('the content of a fence is without its indentation where every line has that', async t => {
  const lines = ['  ```', '  a', '    b', '', '  ```']
  t.same(contentOf(lines, 1, { to: 4, indent: 2 }), ['a', '  b', ''])
  t.same(contentOf(lines, 1, { to: 4, indent: 3 }), ['  a', '    b', ''])
  t.same(contentOf(lines, 1, { to: 4, indent: 0 }), ['  a', '    b', ''])
  t.same(contentOf(['    a', ' '], 0, { to: 2, indent: 2 }), ['  a', ''], 'a blank line may have less')
})
