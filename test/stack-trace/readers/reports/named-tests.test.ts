import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('a failure without a stack has its place, or at least its test', async t => {
  const report =
    '<testsuites><testsuite><testcase classname="shop.CartTest" name="total" file="tests/cart.py" ' +
    'line="12"><failure type="AssertionError" message="1 != 2">1 != 2</failure></testcase><testcase ' +
    'classname="shop.CartTest" name="pays"><failure type="java.lang.AssertionError" ' +
    'message="closed&#10;&#10;for Ann"/></testcase><testcase name="adds"><failure message="no">at ' +
    '/srv/a.js:1:2</failure></testcase></testsuite></testsuites>'
  t.same(summary(report).slice(0, 2), [
    { head: 'root AssertionError: 1 != 2', frames: ['tests/cart.py:12 shop.CartTest.total'] },
    { head: 'root java.lang.AssertionError: closed\nfor Ann', frames: ['null:null shop.CartTest.pays'] },
  ])
  t.equal(parseStackTrace(report).frames.at(-1)?.file, '/srv/a.js')
})
