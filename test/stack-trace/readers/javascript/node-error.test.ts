import { test } from 'tap'
import { errorFrom } from '../../../../src/stack-trace/readers/javascript/node-error.ts'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readNode, VERSIONS } from '../../../helpers/node-traces.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test('codes, messages with blank lines and errors of the file system', async t => {
  for (const version of VERSIONS) {
    t.same(
      readNode(readTrace(`${version}-code`)).map(({ head }) => head),
      [
        'root AssertionError: Expected values to be strictly equal:\n\n1 !== 2',
        "root Error: ENOENT: no such file or directory, open '/missing/file'",
      ],
      version,
    )
  }
})

test('text before the error, equal errors, own error classes and errors without a message', async t => {
  for (const version of VERSIONS) {
    t.same(
      readNode(readTrace(`${version}-console`)).map(({ head }) => head),
      [
        "root TypeError: Cannot read properties of undefined (reading 'reduce') ×3",
        'root ShopError: closed',
        'root Error: null',
      ],
      version,
    )
  }
})

test("a test runner's report: the message above the code frame, the stack below it", async t => {
  const text =
    '  ● cart › totals\n\n    expected 3\n\n      11 |   it("totals", () => {\n    > 12 |     fail()\n' +
    '         |     ^\n      13 |   })\n\n      at Object.<anonymous> (src/cart.test.js:12:5)\n' +
    '      at run (node_modules/runner/run.js:1:2)\n'
  t.same(readNode(text), [
    {
      head: 'root Error: expected 3',
      frames: ['run node_modules/runner/run.js:1:2', 'Object.<anonymous> src/cart.test.js:12:5'],
    },
  ])
})

test("a bundler's message stands above the code, however wide its margin", async t => {
  t.match(
    parseStackTrace(readTrace('vite-2-resolve')).exceptions.map(({ message }) => message),
    [/^\[vite\] Internal server error: Failed to resolve import/],
  )
})

test('Jest leaves "Error" out; what is thrown and is no error has no type', async t => {
  t.same(
    readNode('  ● cart › pays\n\n    no till\n\n      at pay (cart.js:2:3)').map(({ head }) => head),
    ['root Error: no till'],
  )
  t.same(
    readNode('  ● cart › pays\n\n    thrown: "no till"\n\n      at pay (cart.js:2:3)').map(({ head }) => head),
    ['root null: thrown: "no till"'],
  )
})

test('the failing line and its caret are no part of a message that begins with "error: ", and of others they are', async t => {
  const code = ['throw new Till()', '^']
  t.same(errorFrom(['error: no till', ...code]), { type: 'Error', message: 'no till' })
  t.match(errorFrom(['Error: no till', ...code]).message, /^no till\nthrow new Till/)
})
