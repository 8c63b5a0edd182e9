import { test } from 'tap'
import { shown } from '../../../helpers/shown-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test('diagnostics of node:test: name, message and stack of each test that failed', async t => {
  const found = shown(readTrace('node-24-test-tap'))
  t.same(
    found.map(({ head }) => head),
    ['root AssertionError: Expected values to be strictly equal:\n\n4 !== 5', 'root null: cannot pay'],
  )
  t.same(
    found.map(({ frames }) => frames.at(-1)),
    [
      '/srv/app/javascript/node/cart.test.js:7:12 TestContext.<anonymous>',
      '/srv/app/javascript/cart.js:13:11 checkout',
    ],
  )
})

test('diagnostics with a single place, in quotes or folded', async t => {
  const found = shown(readTrace('ava-6-tap'))
  t.same(
    found.map(({ head }) => head),
    ['root AssertionError: null', 'root AssertionError: Rejected promise returned by test'],
  )
  t.same(found[1]?.frames, ['/srv/app/javascript/cart.js:13:11 Object.checkout'])
})

test("without a name or a message the test's title is the message", async t => {
  t.same(shown('not ok 3 - adds up\n  ---\n  stack: |\n    Test.<anonymous> (test/cart.ts:8:7)\n  ...\n'), [
    { head: 'root null: adds up', frames: ['test/cart.ts:8:7 Test.<anonymous>'] },
  ])
})

test('the stack ends at the first line that is not deeper than its name', async t => {
  const stack = '  stack: |\n    Test.<anonymous> (test/cart.ts:8:7)\n'
  t.same(shown(`not ok 3 - adds up\n  ---\n${stack}  Other.<anonymous> (test/other.ts:1:1)\n  ...\n`)[0]?.frames, [
    'test/cart.ts:8:7 Test.<anonymous>',
  ])
})
