import fc from 'fast-check'
import { test } from 'tap'
import { splitOneLine } from '../../../src/stack-trace/layout/one-line.ts'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'
import { LONG_TRACES } from '../../helpers/long-traces.ts'
import { readTrace } from '../../helpers/trace-fixtures.ts'
import { summary } from '../../helpers/trace-summary.ts'
import { runs } from '../../helpers/property-runs.ts'

test('a PHP error in one line: rows, the end, the message', async t => {
  t.same(
    summary(
      'Fatal error: Uncaught TypeError: no till in /srv/till.php:9 Stack trace: #0 /srv/till.php(9): open() ' +
        '#1 /srv/index.php(3): Till->run() #2 {main} thrown in /srv/till.php on line 9',
    ),
    [{ head: 'root TypeError: no till', frames: ['/srv/index.php:3 {main}', '/srv/till.php:9 Till->run'] }],
  )
  t.same(summary(readTrace('php-one-line')), [
    {
      head:
        "root null: Could not locate schema: 'urn:magento:framework:ObjectManager/etc/config.xsd' at " +
        "'/ObjectManager/etc/config.xsd'",
      frames: ['/home/user/workspace/magento2/lib/internal/Magento/Framework/App/ObjectManagerFactory.php:137 null'],
    },
  ])
})

test('a Python traceback in one line: code and the error are told apart', async t => {
  const text =
    'got this: Traceback (most recent call last): File "/srv/main.py", line 3, in <module> main() File ' +
    '"/srv/cart.py", line 7, in total raise KeyError(key) KeyError: \'price\''
  t.same(summary(text), [
    { head: "root KeyError: 'price'", frames: ['/srv/main.py:3 <module>', '/srv/cart.py:7 total'] },
  ])
  t.same(
    parseStackTrace(text).frames.map(({ sourceText }) => sourceText),
    ['main()', 'raise KeyError(key)'],
  )
})

test('stacks of V8 and the JVM in one line; one row in a sentence is none', async t => {
  t.same(
    summary(
      'java.lang.IllegalStateException: closed at com.shop.Till.open(Till.java:12) at com.shop.Main.main(Main.java:3)',
    ),
    [
      {
        head: 'root java.lang.IllegalStateException: closed',
        frames: ['Main.java:3 com.shop.Main.main', 'Till.java:12 com.shop.Till.open'],
      },
    ],
  )
  for (const line of [
    'it fails at total (/srv/cart.js:2:3) for me',
    '    at f (/srv/a.js:1:2)',
    'we meet at noon at the till',
  ]) {
    t.equal(splitOneLine(line), null, line)
  }
})

test('a rendered V8 stack in one line is read back as it was, reversed', async t => {
  const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/)
  const place = fc.integer({ min: 1, max: 99_999 })
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ name, line: place, column: place }), {
        minLength: 2,
        maxLength: 10,
        selector: one => one.line,
      }),
      wanted => {
        const { exceptions, frames } = parseStackTrace(
          `TypeError: no till ${wanted
            .map(one => `at ${one.name} (/srv/` + `${one.name}.js:${one.line}:${one.column})`)
            .join(' ')}`,
        )
        t.same(
          exceptions.map(({ type, message }) => [type, message]),
          [['TypeError', 'no till']],
        )
        t.same(
          frames.map(one => [one.function, one.line, one.column]),
          wanted.toReversed().map(one => [one.name, one.line, one.column]),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('it never throws, and ends on a line of 1 MiB', async t => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '#0 ',
          '#1 /a.php(1): f()',
          ' at ',
          'f (/a.js:1:2)',
          'a.b(',
          'Traceback (most recent call last):',
          ' File "a", line 1, in f ',
          'KeyError: 1',
          ' ',
        ),
      ),
      parts => {
        splitOneLine(parts.join(''))
      },
    ),
    { numRuns: runs(300) },
  )
  for (const unit of [
    ' at ',
    '#0 (',
    ' at a.b(',
    'Traceback (most recent call last): File "", line ',
    ' File "a", line 1, in f ',
    ' E',
    'Error ',
  ]) {
    splitOneLine(
      `Traceback (most recent call last): ", line #0 ( at ${unit.repeat(Math.ceil((1 << 20) / unit.length))}`,
    )
  }
  t.pass('all of them ended')
})

for (const [runtime, text] of LONG_TRACES) {
  test(`a trace of ${runtime} in one line keeps its frames, whatever its line breaks became`, async t => {
    const frames = (text: string) =>
      parseStackTrace(text).frames.map(({ file, line, function: name }) => [file, line, name])
    const lines = text.split('\n')
    for (const sign of [' ', '', '  ', '\t', '; ', ' | ', '↵', '\\n']) {
      t.same(
        frames((sign === ' ' ? lines.map(line => line.trim()) : lines).join(sign)),
        frames(text),
        `${JSON.stringify(sign)} for a line break`,
      )
    }
  })
}
