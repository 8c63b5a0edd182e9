import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'

test('an exception with its whole message; frames outermost first', async t => {
  t.same(summary(readTrace('elixir-1.14-raise')), [
    {
      head: 'root Shop.Empty: nothing to pay\nfor cart 17',
      frames: ['lib/code.ex:1245 Code.require_file/2', 'raise.exs:5 Main.run/0', 'cart.exs:8 Shop.Cart.checkout/1'],
    },
  ])
  t.match(
    summary(readTrace('elixir-1.14-plain'))[0]?.head,
    /^root FunctionClauseError: no function clause matching in Shop.Cart.price\/1\n\nThe following/,
  )
})

test('a function that does not exist is a frame without a place', async t => {
  t.equal(summary(readTrace('elixir-1.14-undefined'))[0]?.frames.at(-1), 'null:null Shop.Cart.close(1, "x")')
})

test('a process that ends with another is the same failure', async t => {
  const found = summary(readTrace('elixir-1.14-task'))
  t.same(
    found.map(({ head }) => head),
    ['root ArithmeticError: bad argument in arithmetic expression ×2'],
  )
  t.equal(found[0]?.frames.at(-1), 'cart.exs:9 Shop.Cart.pay/1')
  t.match(summary(readTrace('elixir-1.19-exit')), [
    { head: /^root UndefinedFunctionError: function Codepagex\.MappingFile\.load\/1 is undefined/ },
  ])
})

test('a server that ends: the caller with its stack is context', async t => {
  const found = summary(readTrace('elixir-1.14-server'))
  t.same(
    found.map(({ head }) => head.replace(/<.*>/, '')),
    ['root ArithmeticError: bad argument in arithmetic expression', 'context null: Client #PID is alive'],
  )
  t.same(found[0]?.frames.slice(-2), ['cart.exs:15 Shop.Till.handle_call/3', 'cart.exs:9 Shop.Cart.pay/1'])
  t.ok(found[1]?.frames.includes('server.exs:4 (file)'))
})

test('what the compiler says: warnings apart, errors with their place as the failing frame', async t => {
  const found = summary(readTrace('elixir-1.14-broken'))
  t.same(
    found.map(({ head, frames }) => [head.split(':', 1)[0], frames.at(-1)]),
    [
      ['separate warning', 'broken.exs:2 Broken.open/1'],
      ['separate warning', 'broken.exs:2 Broken.open/1'],
      ['root CompileError', 'broken.exs:2 null'],
    ],
  )
  t.equal(summary(readTrace('elixir-1.14-syntax'))[0]?.frames.at(-1), 'syntax.exs:4:1 null')
})

test('a report of ExUnit: failed assertions and errors', async t => {
  t.same(summary(readTrace('elixir-1.14-exunit')), [
    { head: 'root Failure: Assertion with == failed\nleft:  0\nright: 2', frames: ['cart_test.exs:8 (test)'] },
    {
      head: 'root Shop.Empty: nothing to pay\nfor cart 17',
      frames: ['cart_test.exs:12 (test)', 'cart.exs:8 Shop.Cart.checkout/1'],
    },
  ])
})

test("Erlang's stacks as terms, on one line or several", async t => {
  const { exceptions, frames } = parseStackTrace(readTrace('erlang-25-term'))
  t.ok(exceptions.length >= 3 && exceptions.every(({ language }) => language === 'erlang'))
  for (const { index } of exceptions) {
    const own = frames.filter(frame => frame.exception === index)
    t.same([own.at(-1)?.file, own.at(-1)?.line, own.at(-1)?.function], ['till.erl', 10, 'till:price'])
  }
})

test("Erlang's shell and the compiler's pointed places", async t => {
  t.same(
    summary(
      '** exception error: bad argument\n     in function  till:price/1 (src/till.erl, line 10)\n' +
        '     in call from till:open/1 (src/till.erl, line 8)\n',
    ).at(-1)?.frames,
    ['src/till.erl:8 till:open/1', 'src/till.erl:10 till:price/1'],
  )
  const pointed =
    '    error: undefined variable "kye"\n    │\n  2 │   def open(key), do: kye\n' +
    '    │                      ^^^\n    │\n    └─ lib/broken.ex:2:22: Broken.open/1\n'
  t.same(summary(pointed), [
    { head: 'root error: undefined variable "kye"', frames: ['lib/broken.ex:2:22 Broken.open/1'] },
  ])
  t.equal(parseStackTrace(pointed).frames[0]?.sourceText, 'def open(key), do: kye')
})

const word = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/)
const frame = fc.record({
  file: word.map(name => `lib/${name}.ex`),
  line: fc.integer({ min: 1, max: 99_999 }),
  name: word,
  isOfApp: fc.boolean(),
})

test('a rendered stack is read back as it was, reversed', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(frame, { minLength: 1, maxLength: 20, selector: one => `${one.file}:${one.line}` }),
      wanted => {
        const text = `** (Shop.Error) no till\n${wanted
          .map(one => `    ${one.isOfApp ? '(shop 1.0.0) ' : ''}${one.file}:${one.line}: ` + `Shop.${one.name}/1\n`)
          .join('')}`
        const { exceptions, frames } = parseStackTrace(text)
        t.ok(exceptions.length === 1 && exceptions[0]?.type === 'Shop.Error' && exceptions[0].message === 'no till')
        t.same(
          frames.map(one => [one.file, one.line, one.function]),
          wanted.toReversed().map(one => [one.file, one.line, `Shop.${one.name}/1`]),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('a message ends before what the process says of its state', async t => {
  t.same(
    summary(
      '20:32:18.499 [error] GenServer #PID<0.176.0> terminating\n' +
        '** (FunctionClauseError) no function clause matching in :abci.call/3\n    ...\n' +
        'Last message: {:tcp, #Port<0.5191>}\nState: {:state}\n',
    ).map(({ head }) => head),
    ['root FunctionClauseError: no function clause matching in :abci.call/3'],
  )
})

test("a term's stack whose functions and places stand on lines of their own", async t => {
  t.same(summary(readTrace('erlang-17-term')), [
    {
      head: 'root function_clause: null',
      frames: [
        'gen_server.erl:787 gen_server:terminate',
        'gen_server.erl:621 gen_server:try_terminate',
        'lib/elixir_talk/connect.ex:81 null',
        'proc_lib.erl:237 proc_lib:init_p_do_apply',
        'lib/elixir_talk/connect.ex:63 ElixirTalk.Connect.handle_call',
        'lib/elixir_talk/connect.ex:108 ElixirTalk.Connect.do_result',
      ],
    },
  ])
})

test('a message ends where a log goes on', async t => {
  for (const entry of [
    '2026-11-21 22:20:01,123 INFO next',
    'INFO next',
    '[main] INFO shop.Till - next',
    'Nov 21 22:20:01 host app[12]: next',
  ]) {
    t.same(
      summary(`** (RuntimeError) no till\nfor order 7\n${entry}\n`).map(({ head }) => head),
      ['root RuntimeError: no till\nfor order 7'],
      entry,
    )
  }
})
