import { test } from 'tap'
import { intervalMs } from '../../src/core/interval.ts'

test('intervals are written as a number and a unit', t => {
  const known: Array<[text: string, ms: number]> = [
    ['90s', 90_000],
    ['15m', 900_000],
    ['6h', 21_600_000],
    ['30d', 2_592_000_000],
  ]
  for (const [text, ms] of known) t.equal(intervalMs(text), ms, text)
  for (const text of ['', '15', 'm', '0m', '-1m', '1.5h', '1 m', '1w', '15M', '12345678s']) {
    t.equal(intervalMs(text), null, text)
  }
  t.end()
})
