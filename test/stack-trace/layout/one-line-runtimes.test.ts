import { test } from 'tap'
import { splitOneLine } from '../../../src/stack-trace/layout/one-line.ts'
import { scaled } from '../../helpers/property-runs.ts'

test('signs in a sentence, a table and a log line are no line breaks', async t => {
  for (const line of [
    'the till is closed; the cart is empty; nothing is paid',
    'name | price | count | it fails at f (/srv/a.js:1:2)',
    '2026-11-21\tERROR\tshop\tcannot open till in /srv/till.php on line 3',
    "order.rb:12:in `process': no till for order 12 (KeyError)",
    "\tfrom /srv/shop/app/models/order.rb:12:in `process_all'",
  ]) {
    t.equal(splitOneLine(line), null, line)
  }
})

test('a line of megabytes is taken apart into all of its lines or none', async t => {
  for (const unit of [
    'goroutine 1 [r]: ',
    ' /a.go:1',
    ' \t;| ',
    '1: a ',
    ' at a:1',
    'a:1:in `',
    " from a:1:in '",
    'from ',
    '; ',
    ' | at a.b(',
    '\tat a.b(c)',
  ]) {
    for (const head of ['goroutine 1 [r]: /a.go:1 ', 'stack backtrace: 0: a ', "a:1:in `f' ", '']) {
      const count = Math.ceil(scaled(2 << 20) / unit.length)
      const lines = splitOneLine(`${head}${unit.repeat(count)}`)
      t.ok(lines === null || lines.length > count / 4, `${head}${unit}`)
    }
  }
})
