import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('errors without a trace have their place', async t => {
  t.same(summary(readTrace('php-8.2-parse')), [
    {
      head: 'root Parse error: syntax error, unexpected token "{", expecting variable',
      frames: ['/srv/app/php/parse.php:3 null'],
    },
  ])
  t.same(summary(readTrace('php-8.2-memory'))[0]?.frames, ['/srv/app/php/memory.php:6 null'])
})

test('PHP 5 quotes the message; a trace that the log cut off keeps what it has', async t => {
  const text =
    "production.ERROR: exception 'ErrorException' with message 'a key, too long' in " +
    '/home/www/src/Crypt.php:95\nStack trace:\n' +
    "#0 [internal function]: Shop\\Handle->error(2, 'a key...', Array)\n" +
    "#1 /home/www/src/Crypt.php(95): decrypt('x', 0)\n" +
    '#2 [internal function]: Shop\\Handle->ex in /home/www/src/Crypt.php on line 95\n'
  t.same(summary(text), [
    {
      head: 'root ErrorException: a key, too long',
      frames: [
        'null:null null',
        '/home/www/src/Crypt.php:95 Shop\\Handle->ex',
        'null:null decrypt',
        '/home/www/src/Crypt.php:95 Shop\\Handle->error',
      ],
    },
  ])
})

test('rows that a page made a numbered list of, and the escapes of a message in a log', async t => {
  t.same(
    summary(
      'Fatal error: Uncaught TypeError: no till in /srv/till.php:9\n\n' +
        'Stack trace: #0 /srv/till.php(9): open()\n\n1. /srv/index.php(3): run()\n' +
        '2. /srv/main.php(4): start()\n',
    )[0]?.frames,
    ['/srv/main.php:4 null', '/srv/index.php:3 start', '/srv/till.php:9 run'],
  )
  t.equal(
    parseStackTrace(
      '[2024-06-14 08:05:21] laravel.ERROR: x {"exception":"[object] (Error(code: 0): Class ' +
        '\\"Shop\\\\Till\\" not found at /srv/till.php:15)\n[stacktrace]\n#0 /srv/main.php(2): open()\n',
    ).exceptions[0]?.message,
    'Class "Shop\\Till" not found',
  )
})
