import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

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
