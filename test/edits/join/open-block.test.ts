import { test } from 'tap'
import { lastFenceOf } from '../../../src/edits/join/open-block.ts'

test('the block that is open at the end of a text is found, with its name and its line', async t => {
  t.same(lastFenceOf('Text.\n'), { closed: true })
  t.same(lastFenceOf('a.py\n```\nx\n```\n'), { closed: true })
  t.match(lastFenceOf('a.py\n```\nx\n```\n\nb.ts\n```ts\ny'), {
    open: { at: 6, language: 'ts', name: { path: 'b.ts' } },
  })
  t.match(
    lastFenceOf('a.md\n````markdown\n```sh\nls\n```\n'),
    { open: { at: 1, content: 'markdown' } },
    'a fence in it',
  )
  t.same(lastFenceOf('a.md\n```\nx\n```\ny\n```\nz\n```\n'), { doubtful: true })
})
