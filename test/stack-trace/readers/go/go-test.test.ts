import { test } from 'tap'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('what a test logs has the name of the test, whether its result stands above or below', async t => {
  for (const name of ['go-1.19-test', 'go-1.19-test-verbose']) {
    t.same(
      summary(readTrace(name)),
      [
        { head: 'root null: Total = -1, want 1\nfor one line', frames: ['cart_test.go:7 TestTotal'] },
        { head: 'root null: checked', frames: ['cart_test.go:9 TestTotal'] },
        { head: 'root null: no price for none', frames: ['cart_test.go:15 TestTable/none'] },
        { head: 'root null: no price for two lines', frames: ['cart_test.go:15 TestTable/two_lines'] },
      ],
      name,
    )
  }
})

test('the trace that an assertion library logs is the stack', async t => {
  const text =
    '--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: \n        \tError Trace:\t/srv/app/cart_test.go:12\n' +
    '        \t            \t\t\t\t/srv/app/suite.go:40\n        \tError:      \tNot equal: \n' +
    '        \t            \texpected: 1\n        \tTest:       \tTestTotal\n'
  const [failure] = summary(text)
  t.same(failure?.frames, ['/srv/app/suite.go:40 TestTotal', '/srv/app/cart_test.go:12 null'])
  t.match(failure?.head, /^root null: Error: {6}\tNot equal:/)
})

test('what a test logged that passed or was skipped is no failure; one whose end was cut off is', async t => {
  const text =
    '=== RUN   TestPay\n    pay_test.go:12: paid 3 lines\n--- PASS: TestPay (0.00s)\n=== RUN   TestSkip\n' +
    '    skip_test.go:7: needs docker\n--- SKIP: TestSkip (0.00s)\n=== RUN   TestSell\n' +
    '    sell_test.go:20: want 3, got 4\n'
  for (const end of ['', '--- FAIL: TestSell (0.00s)\nFAIL\n']) {
    t.same(summary(text + end), [{ head: 'root null: want 3, got 4', frames: ['sell_test.go:20 TestSell'] }])
  }
  t.same(
    summary(
      '--- PASS: TestPay (0.00s)\n    pay_test.go:12: paid 3 lines\n--- FAIL: TestSell (0.00s)\n' +
        '    sell_test.go:20: want 3\n',
    ).map(({ head }) => head),
    ['root null: want 3'],
  )
})

test('an assertion library that logs nothing but its trace', async t => {
  const text =
    '--- FAIL: TestTotal (0.00s)\n        Error Trace:    cart_test.go:96\n\t            \tsuite.go:244\n' +
    '\tError:      \tNot equal:\n\t            \texpected: 1\n        Error Trace:    cart_test.go:99\n' +
    '\tError:      \tNot nil\n'
  t.same(summary(text), [
    {
      head: 'root null: Error:      \tNot equal:\nexpected: 1',
      frames: ['suite.go:244 TestTotal', 'cart_test.go:96 null'],
    },
    { head: 'root null: Error:      \tNot nil', frames: ['cart_test.go:99 TestTotal'] },
  ])
})

test('events of "go test -json" are the text that the tests printed', async t => {
  const plain = readTrace('go-1.19-test-verbose')
  const events = plain
    .split('\n')
    .flatMap((line, index) => [
      ...(index % 5 === 0
        ? [{ Time: '2026-11-21T22:20:01.1Z', Action: 'run', Package: 'example.com/till', Test: 'TestTotal' }]
        : []),
      { Time: '2026-11-21T22:20:01.2Z', Action: 'output', Package: 'example.com/till', Output: `${line}\n` },
    ])
  t.same(summary(events.map(event => JSON.stringify(event)).join('\n')), summary(plain))
})
