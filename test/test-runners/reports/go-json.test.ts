import { test } from 'tap'
import { goOutput } from '../../../src/test-runners/reports/go-json.ts'

test('the events of go test become what the tests said, other lines stay', async t => {
  const events = [
    '{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"shop","Test":"TestPay"}',
    '{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"shop","Test":"TestPay","Output":"no till\\n"}',
    '{"Action":"output","Package":"shop","Output":"FAIL\\n"}',
  ]
  t.equal(goOutput(['go: downloading', ...events, '{"Action'].join('\n')), 'go: downloading\nno till\nFAIL\n{"Action\n')
})

test('a text without such events stays as it is, to its last character', async t => {
  for (const text of [
    '',
    'FAIL',
    'FAIL\n\n',
    '{"Time":"now"}\n{"level":"info"}',
    ' {"Action":"output","Output":"x"}',
  ]) {
    t.equal(goOutput(text), text)
  }
})
