import { test } from 'tap'
import { bothEnds, shortened, textEnds } from '../../src/core/both-ends.ts'

test('a list that is not longer than the limit comes back itself; of a longer one both ends are kept', async t => {
  const items = [1, 2, 3, 4, 5]
  t.equal(bothEnds(items, 5), items)
  t.same(bothEnds(items, 4), [1, 2, 4, 5])
  t.same(bothEnds(items, 2), [1, 5])
})

test('of a long text the beginning and the end are kept, in lines of their own', async t => {
  t.equal(textEnds('abcdef', 6), 'abcdef')
  t.equal(textEnds('abcdefg', 6), 'abc\nefg')
  t.equal(textEnds('abcdefg', 5, ' … '), 'ab … fg')
})

test('a shortened text says how many characters are missing', async t => {
  t.equal(shortened('abcdef', 6), 'abcdef')
  t.equal(shortened('abcdefgh', 4), 'ab\n[… 4 characters left out …]\ngh')
  t.equal(shortened('abcdefgh', 5), 'ab\n[… 4 characters left out …]\ngh')
})

test('a shortened text holds no half of a surrogate pair', async t => {
  t.equal(shortened('a😀bcd😀e', 4), 'a\uFFFD\n[… 5 characters left out …]\n\uFFFDe')
})
