import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { shown } from '../../../helpers/shown-trace.ts'

const EMPTY = ['/srv/app/php/previous.php:5 {main}', '/srv/app/php/src/Cart.php:25 Shop\\Cart->checkout']

test('evaluated code stands where eval was called, code of an archive in the archive', async t => {
  t.same(summary(readTrace('php-8.2-evalled'))[0]?.frames, [
    '/srv/app/php/evalled.php:5 {main}',
    '/srv/app/php/evalled.php:4 {closure}',
  ])
  t.equal(
    summary(readTrace('php-8.2-phar'))[0]?.frames.at(-1),
    'phar:///srv/app/php/till.phar/src/Cart.php:17 Shop\\Cart->Shop\\{closure}',
  )
})

test("Xdebug's table runs from the outside in", async t => {
  t.same(summary(readTrace('xdebug-3-plain')), [
    {
      head: 'root DivisionByZeroError: Division by zero',
      frames: [
        '/srv/app/php/plain.php:10 {main}',
        '/srv/app/php/plain.php:7 main',
        '/srv/app/php/src/Cart.php:17 Shop\\Cart->total',
        '/srv/app/php/src/Cart.php:17 array_map',
        '/srv/app/php/src/Cart.php:17 Shop\\Cart->Shop\\{closure:/srv/app/php/src/Cart.php:17-17}',
      ],
    },
  ])
  t.same(
    summary(readTrace('xdebug-3-warning')).map(({ head }) => head),
    [
      'separate Warning: Undefined array key "price"',
      'root TypeError: price(): Return value must be of type int, null returned',
    ],
  )
  t.same(summary(readTrace('xdebug-3-previous')).at(-1), {
    head: 'root Shop\\EmptyCart: nothing to pay\nfor a customer with a long name',
    frames: EMPTY,
  })
})

test('rows that other runtimes number are not PHP', async t => {
  for (const line of ['#0 0x55d in main /srv/a.c:3', '#1  main () at a.c:3', '#12 3.456 make: done', '#0 {main}']) {
    t.same(
      parseStackTrace(line).exceptions.filter(({ language }) => language === 'php'),
      [],
      line,
    )
  }
})

test('rows of debug_print_backtrace before PHP 8, and one that a log cut behind its place', async t => {
  t.same(
    shown(
      ['#0  Till->open() called at [/srv/app/till.php:12]', '#1  pay(3) called at [/srv/app/index.php:4]'].join('\n'),
    ),
    [{ head: 'root null: null', frames: ['/srv/app/index.php:4 -', '/srv/app/till.php:12 pay'] }],
  )
  t.same(
    shown(
      [
        'PHP Fatal error:  Uncaught Exception: no in /srv/app/till.php:9',
        'Stack trace:',
        '#0 /srv/app/index.php(4): pay(3)',
        '#1 /srv/app/run.php(2)',
      ].join('\n'),
    ),
    [
      {
        head: 'root Exception: no',
        frames: ['/srv/app/run.php:2 -', '/srv/app/index.php:4 -', '/srv/app/till.php:9 pay'],
      },
    ],
  )
})
