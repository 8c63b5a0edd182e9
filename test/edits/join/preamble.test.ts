import { test } from 'tap'
import { behindPreamble, saysItGoesOn } from '../../../src/edits/join/preamble.ts'

test('a sentence that says only that the text goes on is told from code', async t => {
  t.same(behindPreamble(['Sorry, continuing where I left off:', '', 'x = 1']), ['x = 1'])
  t.same(behindPreamble(['Okay, here is the rest.', '', 'x = 1']), ['x = 1'])
  t.equal(behindPreamble(['continue', '', 'x = 1']), null, 'a statement')
  t.equal(behindPreamble(['Sorry, continuing:', 'x = 1']), null, 'no blank line behind it')
  t.equal(behindPreamble(['Sorry, continuing:', '', '```']), null, 'a fence, which is read elsewhere')
  t.equal(behindPreamble(['x = 1']), null)
  t.ok(saysItGoesOn('The rest of it'))
  t.notOk(saysItGoesOn('x = 1'))
})
