import { test } from 'tap'
import { ClosingTags } from '../../../src/edits/read/closing-tags.ts'

test('a tag is closed by the next line that holds nothing else', async t => {
  const tags = new ClosingTags(['<a>', '</a>', '<a>', ' </a>', 'x</a>', '</b>', '</a>'])
  t.equal(tags.after(0, 'a'), 1)
  t.equal(tags.after(0, 'b'), 5)
  t.equal(tags.after(2, 'a'), 6)
  t.equal(tags.after(6, 'a'), -1)
  t.equal(tags.after(0, 'c'), -1)
})
