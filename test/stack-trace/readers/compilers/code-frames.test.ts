import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('rustc: code, message, place and the code at it', async t => {
  t.same(summary(readTrace('rustc-1.95')), [{ head: 'root E0308: mismatched types', frames: ['main.rs:10:22 null'] }])
  const { frames, exceptions } = parseStackTrace(readTrace('rustc-1.95'))
  t.equal(frames[0]?.sourceText, 'let price: i32 = "17";')
  t.equal(exceptions[0]?.language, 'rust')
})

test('other places of the same diagnostic are its context, warnings stand apart', async t => {
  const text =
    'warning: unused variable: `key`\n --> src/main.rs:3:9\n  |\n3 |     let key = 1;\n  |         ^^^\n  |\n' +
    ' ::: src/till.rs:9:1\n  |\n9 | fn open() {}\n  | --------- defined here\n\nerror: no till\n'
  t.same(summary(text), [
    { head: 'separate warning: unused variable: `key`', frames: ['src/main.rs:3:9 null'] },
    { head: 'context note: null', frames: ['src/till.rs:9:1 null'] },
  ])
})

test('ruff prints the place below the message, too', async t => {
  t.same(summary('F401 [*] `os` imported but unused\n --> shop/cart.py:1:8\n  |\n1 | import os\n  |        ^^\n'), [
    { head: 'root F401: `os` imported but unused', frames: ['shop/cart.py:1:8 null'] },
  ])
})
