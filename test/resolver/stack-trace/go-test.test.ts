import { test } from 'tap'
import { readTrace } from '../../helpers/trace-fixtures.ts'
import { summary } from '../../helpers/trace-summary.ts'

test('what a test logs has the name of the test, whether its result stands above or below', async (t) => {
  for (const name of ['go-1.19-test', 'go-1.19-test-verbose']) {
    t.same(summary(readTrace(name)), [
      { head: 'root null: Total = -1, want 1\nfor one line', frames: ['cart_test.go:7 TestTotal'] },
      { head: 'root null: checked', frames: ['cart_test.go:9 TestTotal'] },
      { head: 'root null: no price for none', frames: ['cart_test.go:15 TestTable/none'] },
      { head: 'root null: no price for two lines', frames: ['cart_test.go:15 TestTable/two_lines'] },
    ], name)
  }
})

test('the trace that an assertion library logs is the stack', async (t) => {
  const text = '--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: \n        \tError Trace:\t/srv/app/cart_test.go:12\n        \t            \t\t\t\t/srv/app/suite.go:40\n        \tError:      \tNot equal: \n        \t            \texpected: 1\n        \tTest:       \tTestTotal\n'
  const [failure] = summary(text)
  t.same(failure?.frames, ['/srv/app/suite.go:40 TestTotal', '/srv/app/cart_test.go:12 null'])
  t.match(failure?.head, /^root null: Error: {6}\tNot equal:/)
})
