import { test } from 'tap'
import { confidenceNotice } from '../../../src/resolver/ranking/confidence.ts'

test('a first file that nothing speaks clearly for is said to be no more than that', t => {
  t.match(
    confidenceNotice([
      { path: 'app/cart.py', score: 0.12 },
      { path: 'app/money.py', score: 0.11 },
    ]),
    /^Low confidence: no file stands out\. The first, app\/cart\.py, is the one to change in one of four/,
  )
  t.notMatch(confidenceNotice([{ path: 'a.py', score: 0.27 }]), /0\.\d/, 'the scores of sources say otherwise')
  t.end()
})

test('a first file that stands out needs no warning', t => {
  t.equal(confidenceNotice([{ path: 'app/cart.py', score: 0.3 }]), null)
  t.end()
})

test('where nothing was found, that is said', t => {
  t.match(confidenceNotice([]), /^Low confidence: nothing in the text leads to a file/)
  t.end()
})
