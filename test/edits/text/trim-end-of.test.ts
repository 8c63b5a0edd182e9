import { test } from 'tap'
import { trimEndOf } from '../../../src/edits/text/trim-end-of.ts'

test('characters are cut off the end of a text as far as they are those', async t => {
  t.equal(trimEndOf('a.b:.;', '.:;'), 'a.b')
  t.equal(trimEndOf('ab', '.'), 'ab')
  t.equal(trimEndOf('...', '.'), '')
  t.equal(trimEndOf('', '.'), '')
  t.equal(trimEndOf('.a', '.'), '.a')
})
