import { test } from 'tap'
import { cutNumbers, withoutLineNumbers } from '../../../src/edits/text/line-numbers.ts'
import { checkReplies, diffOf, fenced, of } from '../../helpers/reply-cases.ts'

test('numbers that are copied from a listing are no part of a file', async t => {
  checkReplies(t, [
    ['numbers of a listing', `a.py\n${fenced('    1 | x = 1\n    2 | y = 2', 'python')}`, { 'a.py': 'x = 1\ny = 2\n' }],
    ['numbers of a list', `a.py\n${fenced('1. x = 1\n2. y = 2', 'python')}`, { 'a.py': 'x = 1\ny = 2\n' }],
    ['numbers of an excerpt', `a.py\n${fenced('   41 | x = 1\n   42 | y = 2', 'python')}`, ['malformed']],
    [
      'numbers copied from the listing',
      diffOf('@@ -1,3 +1,3 @@\n      1 | a\n-     2 | b\n+     2 | B\n      3 | c\n'),
      of('a\nB\nc\n'),
      of('a\nb\nc\n'),
    ],
  ])
})

test('numbers are cut off where every line has one and they count up by one', async t => {
  t.same(withoutLineNumbers(['1 | a', '2 | b'], 'a.py'), ['a', 'b'])
  t.same(withoutLineNumbers([' 1: a', ' 2:'], 'a.py'), ['a', ''])
  t.same(withoutLineNumbers(['1\ta', '2→b'], 'a.py'), ['a', 'b'])
  t.equal(withoutLineNumbers(['4 | a', '5 | b'], 'a.py'), 'excerpt')
  t.equal(withoutLineNumbers(['1 | a', '3 | b'], 'a.py'), null)
  t.equal(withoutLineNumbers(['1 | a'], 'a.py'), null, 'a single line')
  t.equal(withoutLineNumbers(['1 | a', 'b'], 'a.py'), null)
  t.same(withoutLineNumbers(['1. a', '2.', '3.   b'], 'a.py'), ['a', '', '  b'], 'as a list of Markdown has them')
  t.equal(withoutLineNumbers(['1. a', '2. b'], 'a.md'), null, 'a list')
  t.equal(withoutLineNumbers(['3. a', '4. b'], 'a.py'), 'excerpt')
  t.same(cutNumbers(['>>> 41 | a']), [{ number: 41, text: 'a' }])
})
