import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('the rows of an error map are a stack, innermost first as printed', async t => {
  t.same(readExceptions(readTrace('clojure-1.9-trace')), [
    {
      head: 'root null: null',
      frames: [
        'clojure.lang.Compiler.eval Compiler.java:6927',
        'commiteth.core$eval60988$loading__5569__auto____60989.invoke core.clj:1',
        'clojure.core$load_one.invokeStatic core.clj:5697',
        'clojure.lang.RestFn.invoke RestFn.java:408',
        'clojure.core$load.doInvoke core.clj:5876',
      ],
    },
  ])
  t.same(languagesOf(readTrace('clojure-1.9-trace')), ['clojure'])
})

test('what the map lists under :via are the causes, and the stack is that of the innermost', async t => {
  const report = `{:clojure.main/message "Execution error"
 :clojure.main/trace
 {:via
  [{:type clojure.lang.Compiler$CompilerException,
    :message
    "Syntax error at (core.clj:1:1).",
    :at [clojure.lang.Compiler load "Compiler.java" 7652]}
   {:type clojure.lang.ArityException,
    :message "Wrong \\"number\\" of args",
    :at [clojure.lang.AFn throwArity "AFn.java" 429]}],
  :trace
  [[clojure.lang.AFn throwArity "AFn.java" 429]
   [shop.core$_main doInvoke "core.clj" 10]
   [user$eval1 invoke "NO_SOURCE_FILE" 1]],
  :cause "Wrong number of args"}}
`
  t.same(readExceptions(report), [
    { head: 'root clojure.lang.Compiler$CompilerException: Syntax error at (core.clj:1:1).', frames: [] },
    {
      head: 'cause clojure.lang.ArityException: Wrong "number" of args',
      frames: [
        'user$eval1.invoke null:1',
        'shop.core$_main.doInvoke core.clj:10',
        'clojure.lang.AFn.throwArity AFn.java:429',
      ],
    },
  ])
})

test('a single row and other brackets are no stack', async t => {
  for (const text of [
    '[shop.till open "till.clj" 3]',
    '[[1 2] [3 4]]\n[[5 6] [7 8]]',
    '[a b "c.txt" 3]\n[a b "c.txt" 4]',
  ]) {
    t.notOk(
      languagesOf(text).includes('clojure') && readExceptions(text)[0]?.frames.some(frame => frame.includes('.open ')),
      text,
    )
  }
})

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const row = fc.record({ space: name, method: name, line: fc.integer({ min: 1, max: 99_999 }) })

test('rendered rows are read back, reversed, however many stand in a line', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 2, maxLength: 12, selector: one => one.line }),
      fc.integer({ min: 1, max: 4 }),
      (rows, width) => {
        const printed = rows.map(({ space, method, line }) => `[shop.${space}$pay ${method} "${space}.clj" ${line}]`)
        const lines = printed.flatMap((_, at) => (at % width === 0 ? [printed.slice(at, at + width).join(' ')] : []))
        t.same(
          readExceptions(`[${lines.join('\n ')}]`)[0]?.frames,
          rows.toReversed().map(({ space, method, line }) => `shop.${space}$pay.${method} ${space}.clj:${line}`),
        )
      },
    ),
    { numRuns: runs(100) },
  )
})

test('never takes long, and never throws', async t => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('[', ']', ' ', 'a', '.', '"', '1', '\n', ':trace', ':via', ':type ', 'b.clj'),
      }),
      text => {
        readExceptions(text)
      },
    ),
  )
  for (const piece of ['[', '[a ', '[a b "', '[a b "c.clj" 1] ', ':trace [[']) readExceptions(piece.repeat(20_000))
  t.pass()
})

test('a row may have no file, or no line', async t => {
  t.same(
    shown(['[[shop.till$open invokeStatic "NO_SOURCE_FILE" 12]', ' [shop.till$pay invoke "till.clj" -1]]'].join('\n')),
    [{ head: 'root null: null', frames: ['till.clj:- shop.till$pay.invoke', '-:12 shop.till$open.invokeStatic'] }],
  )
})
