import { test } from 'tap'
import { Reading } from '../../../src/edits/read/reading.ts'
import { replyLines } from '../../../src/edits/read/reply-lines.ts'

test('blocks of SEARCH and REPLACE name what follows them right behind, over blank lines only', async t => {
  const reading = (text: string): Reading => {
    const made = new Reading(replyLines(text), 0, false)
    made.lastSearch = { path: 'a.py', to: 0 }
    made.goOnAt(1)
    return made
  }
  t.equal(reading('block\nnext').searchPathAbove(1), 'a.py')
  t.equal(reading('block\n\n  \nnext').searchPathAbove(3), 'a.py')
  t.equal(reading('block\n\nwords\nnext').searchPathAbove(3), null)
  const later = reading('block\nother\nnext')
  later.goOnAt(2)
  t.equal(later.searchPathAbove(2), null, 'something else was read since')
})
