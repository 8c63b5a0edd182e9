import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('Collision: the place with its code, callers below it; across left-out frames no name is guessed', async t => {
  t.same(summary(readTrace('collision-5-thrown')), [
    {
      head: 'root RuntimeException: Running Collision ^5.0 artisan test command requires Laravel ^8.0.',
      frames: [
        'artisan:37 null',
        'null:null Illuminate\\Foundation\\Console\\Kernel::handle',
        'vendor/nunomaduro/collision/src/Adapters/Laravel/Commands/TestCommand.php:71 null',
      ],
    },
  ])
  t.match(parseStackTrace(readTrace('collision-5-thrown')).frames.at(-1)?.sourceText, /^throw new RuntimeException\(/)
})

test("Symfony's console: with a trace each row names what it called, without one there is a bare name", async t => {
  const found = summary(readTrace('symfony-console-5-trace'))
  t.same(
    found.map(({ head }) => head),
    ['root Shop\\EmptyCart: nothing to pay\nfor Ann', 'cause DivisionByZeroError: Division by zero'],
  )
  t.same(found[0]?.frames.slice(-2), [
    '/srv/app/php/console.php:10 Closure->{closure}',
    '/srv/app/php/src/Cart.php:25 Shop\\Cart->checkout',
  ])
  t.same(summary(readTrace('symfony-console-5-short')), [
    { head: 'root null: nothing to pay\nfor Ann', frames: ['Cart.php:25 null'] },
    { head: 'cause null: Division by zero', frames: ['Cart.php:17 null'] },
  ])
})

test("Symfony's handler as text: places in parentheses below the calls", async t => {
  const text =
    'UnexpectedValueException:\nNo folder\n\n  at /app/vendor/log/Stream.php:219\n' +
    "  at Log\\Stream->open('/app/log')\n     (/app/vendor/log/Stream.php:135)\n" +
    '  at Log\\Stream->write(array(1))\n     (/app/index.php:9)\n'
  t.same(summary(text), [
    {
      head: 'root UnexpectedValueException: No folder',
      frames: [
        '/app/index.php:9 null',
        '/app/vendor/log/Stream.php:135 Log\\Stream->write',
        '/app/vendor/log/Stream.php:219 Log\\Stream->open',
      ],
    },
  ])
})

test('PHPUnit: errors with their causes, and failures, each with the name of the test', async t => {
  t.same(summary(readTrace('phpunit-9')), [
    {
      head: 'root Shop\\EmptyCart: nothing to pay\nfor Ann',
      frames: ['/srv/app/php/tests/CartTest.php:16 CartTest::testChecksOut', '/srv/app/php/src/Cart.php:25 null'],
    },
    {
      head: 'cause DivisionByZeroError: Division by zero',
      frames: [
        '/srv/app/php/tests/CartTest.php:16 null',
        '/srv/app/php/src/Cart.php:23 null',
        '/srv/app/php/src/Cart.php:17 null ×2',
      ],
    },
    { head: 'root Failure: Undefined array key 3', frames: ['/srv/app/php/tests/CartTest.php:21 CartTest::testWarns'] },
    {
      head: 'root Failure: Failed asserting that 0 is identical to 2.',
      frames: ['/srv/app/php/tests/CartTest.php:11 CartTest::testAddsUp'],
    },
  ])
})

test('Collision: the line of a class in each of its forms, and what stands below it', async t => {
  const head = (...above: string[]): string | undefined => summary([...above, 'at src/Cart.php:25'].join('\n'))[0]?.head
  t.equal(head('Till: empty', 'for Ann', ''), 'root Till: empty\nfor Ann')
  t.equal(head('[Till: empty]', ''), 'root Till: empty')
  t.equal(head('[ Shop\\Till ]', '', '  empty', ''), 'root Shop\\Till: empty')
  t.equal(head('Shop\\Till:', 'empty', ''), 'root Shop\\Till: empty')
  t.equal(head('TillError', 'empty', ''), 'root TillError: empty')
  t.equal(head('TillException', 'empty', ''), 'root TillException: empty')
  t.equal(head('Till: full', 'TillError', 'empty'), 'root TillError: empty', 'the nearest one')
  t.equal(head('Till', 'empty', ''), 'root null: Till\nempty', 'a word alone names no class')
  t.equal(head('shop\\till', 'empty'), 'root null: shop\\till\nempty')
})

test('Collision: without a class the message is the nearest paragraph; it is looked for in 20 lines', async t => {
  const head = (...above: string[]): string | undefined => summary([...above, 'at src/Cart.php:25'].join('\n'))[0]?.head
  const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => `part ${at + 1}`)
  const blanks = (count: number): string[] => Array<string>(count).fill('')
  t.equal(head('long before', '', 'nothing to pay', '  for Ann', '', ''), 'root null: nothing to pay\nfor Ann')
  t.equal(head('nothing to pay', 'for Ann'), 'root null: nothing to pay\nfor Ann')
  t.equal(head('nothing to pay', ...blanks(19)), 'root null: nothing to pay')
  t.equal(head('nothing to pay', ...blanks(20)), 'root null: null')
  t.equal(head(...lines(22)), `root null: ${lines(22).slice(2).join('\n')}`)
  t.equal(head('TillError', ...lines(19)), `root TillError: ${lines(19).join('\n')}`)
  t.equal(head('TillError', ...lines(20)), `root null: ${lines(20).join('\n')}`)
})

test("Symfony's console and Collision: a line that only begins as theirs do is no report", async t => {
  const text = 'In the beginning\nat home\nIn Cart.php on line 25:\nat src/Cart.php:x\n'
  t.same(summary(text), [])
  t.same(summary(`${text}\nIn Cart.php line 25:\n\n  nothing to pay\n`), [
    { head: 'root null: nothing to pay', frames: ['Cart.php:25 null'] },
  ])
})
