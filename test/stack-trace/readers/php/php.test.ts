import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'

const CHECKOUT = [
  '/srv/app/php/src/Cart.php:23 Shop\\Cart->checkout',
  '/srv/app/php/src/Cart.php:17 Shop\\Cart->total',
  'null:null array_map',
  '/srv/app/php/src/Cart.php:17 Shop\\Cart->Shop\\{closure}',
]
const EMPTY = ['/srv/app/php/previous.php:5 {main}', '/srv/app/php/src/Cart.php:25 Shop\\Cart->checkout']

test('an uncaught exception: each line has the function it stands in, not the one it calls', async t => {
  t.same(summary(readTrace('php-8.2-plain')), [
    {
      head: 'root DivisionByZeroError: Division by zero',
      frames: ['/srv/app/php/plain.php:10 {main}', '/srv/app/php/plain.php:7 main', ...CHECKOUT.slice(1)],
    },
  ])
  t.equal(parseStackTrace(readTrace('php-8.2-plain')).exceptions[0]?.language, 'php')
})

test('"Next" is what the exception before it led to: that is a cause, the last is the root', async t => {
  for (const name of ['php-8.2-previous', 'php-8.2-errorlog']) {
    t.same(
      summary(readTrace(name)),
      [
        {
          head: 'cause DivisionByZeroError: Division by zero',
          frames: ['/srv/app/php/previous.php:5 {main}', ...CHECKOUT],
        },
        { head: 'root Shop\\EmptyCart: nothing to pay\nfor a customer with a long name', frames: EMPTY },
      ],
      name,
    )
  }
})

test('warnings stand apart from errors, whether as text or HTML', async t => {
  for (const name of ['php-8.2-warning', 'php-8.2-html']) {
    t.same(
      summary(readTrace(name)),
      [
        { head: 'separate Warning: Undefined array key "price"', frames: ['/srv/app/php/warning.php:5 null'] },
        {
          head: 'root TypeError: price(): Return value must be of type int, null returned',
          frames: ['/srv/app/php/warning.php:9 {main}', '/srv/app/php/warning.php:5 price'],
        },
      ],
      name,
    )
  }
})

test('exceptions in a log with [stacktrace], as text, and a backtrace without an error', async t => {
  const found = summary(readTrace('php-8.2-logged'))
  t.same(
    found.map(({ head }) => head),
    [
      'root Shop\\EmptyCart: nothing to pay\nfor Ann',
      'cause DivisionByZeroError: Division by zero',
      'root Shop\\EmptyCart: nothing to pay\nfor Ann',
      'root null: null',
    ],
  )
  t.same(found[0]?.frames, ['/srv/app/php/logged.php:6 {main}', '/srv/app/php/src/Cart.php:25 Shop\\Cart->checkout'])
})

test('[previous exception] of a log entry is a cause', async t => {
  const text =
    '[2026-11-21 10:00:00] local.ERROR: no till {"exception":"[object] (Shop\\\\Closed(code: 0): no till at ' +
    '/app/Till.php:9)\n[stacktrace]\n#0 /app/index.php(3): Shop\\\\Till->open()\n#1 {main}\n\n' +
    '[previous exception] [object] (PDOException(code: 2002): refused at /app/Db.php:4)\n[stacktrace]\n' +
    '#0 /app/Till.php(8): Shop\\\\Db->open()\n#1 {main}\n"} \n'
  t.same(summary(text), [
    { head: 'root Shop\\Closed: no till', frames: ['/app/index.php:3 {main}', '/app/Till.php:9 Shop\\Till->open'] },
    { head: 'cause PDOException: refused', frames: ['/app/Till.php:8 {main}', '/app/Db.php:4 Shop\\Db->open'] },
  ])
})

test('a cut-off log that begins with the previous exception, and the list of an error tracker', async t => {
  const [cut] = summary(readTrace('laravel-10-previous'))
  t.equal(cut?.head, 'root PDOException: could not find driver')
  t.match(
    cut?.frames.at(-1),
    /Connectors\/Connector\.php:70 Illuminate\\Database\\Connectors\\Connector->createPdoConnection$/,
  )
  const [listed] = summary(readTrace('laravel-5-sentry'))
  t.equal(listed?.head, 'root Illuminate\\Database\\QueryException: null')
  t.match(listed?.frames, [
    /ProductPublicController\.php:123 null$/,
    /Builder\.php:2477 Illuminate\\Database\\Query\\Builder:insert$/,
  ])
})

const word = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/)
const row = fc.record({
  file: fc.array(word, { minLength: 1, maxLength: 5 }).map(parts => `/${parts.join('/')}.php`),
  line: fc.integer({ min: 1, max: 99_999 }),
  name: word,
})

test('a rendered trace is read back as it was, reversed, its names moved to their own lines', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 2, maxLength: 20, selector: one => `${one.file}:${one.line}` }),
      wanted => {
        const [thrown, ...rows] = wanted
        const text = `PHP Fatal error:  Uncaught Shop\\Closed: no till in ${thrown?.file}:${thrown?.line}\nStack trace:\n${rows
          .map((one, index) => `#${index} ${one.file}(${one.line}): ${one.name}('a', ` + 'Array)\n')
          .join('')}#${rows.length} {main}\n  thrown in ${thrown?.file} on line ${thrown?.line}\n`
        const { exceptions, frames } = parseStackTrace(text)
        t.ok(exceptions.length === 1 && exceptions[0]?.type === 'Shop\\Closed' && exceptions[0].message === 'no till')
        t.same(
          frames.map(one => [one.file, one.line, one.function]),
          wanted.map((one, index) => [one.file, one.line, wanted[index + 1]?.name ?? '{main}']).toReversed(),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('a warning whose trace follows without a heading is one failure, and a report may be wrapped', async t => {
  t.same(
    summary(readTrace('php-warning-rows')).map(({ head }) => head),
    ['separate Warning: current() expects parameter 1 to be array, null given'],
  )
  t.same(summary(readTrace('php-wrapped-report')), [
    {
      head: 'root Fatal error: Allowed memory size of 209715200 bytes exhausted (tried to allocate 8388608 bytes) ×2',
      frames: ['/usr/share/pear/Xinc/Logger.php:253 null'],
    },
  ])
  t.same(summary('PHP Fatal error:  No till in shop/index.php on line 6, referer: shop/a.php'), [
    { head: 'root Fatal error: No till', frames: ['shop/index.php:6 null'] },
  ])
  t.same(summary('PHP Fatal error:  Uncaught TypeError: no till in shop/till.php:9'), [
    { head: 'root TypeError: no till', frames: ['shop/till.php:9 null'] },
  ])
})
