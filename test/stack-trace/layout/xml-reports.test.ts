import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'
import { fromXmlReport } from '../../../src/stack-trace/layout/xml-reports.ts'
import { summary } from '../../helpers/trace-summary.ts'
import { runs } from '../../helpers/property-runs.ts'

const readReport = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/reports', `${name}.xml`), 'utf8')

test('the failures of a JUnit report are read as the runner would have printed them', async t => {
  t.same(summary(readReport('junit-phpunit-9')), [
    {
      head: 'root Failure: Failed asserting that 0 is identical to 2.',
      frames: ['/srv/app/reports/php/tests/CartTest.php:11 CartTest::testAddsUp'],
    },
    {
      head: 'root Shop\\EmptyCart: nothing to pay\nfor Ann',
      frames: [
        '/srv/app/reports/php/tests/CartTest.php:16 CartTest::testChecksOut',
        '/srv/app/reports/php/src/Cart.php:25 null',
      ],
    },
    {
      head: 'root Failure: Undefined array key 3',
      frames: ['/srv/app/reports/php/tests/CartTest.php:21 CartTest::testWarns'],
    },
  ])
  const python = parseStackTrace(readReport('junit-pytest-9'))
  t.match(
    python.exceptions.map(({ type, message }) => `${type}: ${message}`),
    [/^AssertionError: a < b & c/, /^KeyError: 'price'/],
  )
  t.same([...new Set(python.frames.map(({ file }) => file))], ['test_cart.py'])
  const node = parseStackTrace(readReport('junit-node-24'))
  t.ok(node.frames.some(({ file, line }) => file === 'file:///srv/app/reports/cart.test.mjs' && line === 4))
})

test('NUnit, xUnit and TRX keep message and stack apart', async t => {
  const nunit =
    '<?xml version="1.0"?><test-run><test-case name="Total"><failure><message><![CDATA[Expected: ' +
    '2]]></message><stack-trace><![CDATA[   at Shop.CartTest.Total() in /srv/app/CartTest.cs:line ' +
    '12]]></stack-trace></failure></test-case></test-run>'
  t.equal(fromXmlReport(nunit).trim(), 'Expected: 2\n   at Shop.CartTest.Total() in /srv/app/CartTest.cs:line 12')
  const trx =
    '<TestRun id="1"><UnitTestResult><Output><ErrorInfo><Message>no &lt;till&gt;</Message><StackTrace>   at ' +
    'Shop.Till.Open()</StackTrace></ErrorInfo></Output></UnitTestResult></TestRun>'
  t.equal(fromXmlReport(trx).trim(), 'no <till>\n   at Shop.Till.Open()')
})

test(
  'type and message come from the attributes where the text does not say them; a ">" in an attribute ends ' + 'no tag',
  async t => {
    const report = (failure: string): string =>
      fromXmlReport(`<testsuite><testcase>${failure}</testcase></testsuite>`).trim()
    t.equal(report('<failure type="Shop.Error" message="a -> b"/>'), 'Shop.Error: a -> b')
    t.equal(report('<error message="x > y" type="E">\n  at f</error>'), 'E: x > y\n  at f')
    t.equal(report("<failure message='no till'>Error: no till\n  at f</failure>"), 'Error: no till\n  at f')
  },
)

test('text around a report stays; other XML, and a report without failures, stay as they are', async t => {
  t.equal(
    fromXmlReport('before\n<testsuites><testcase><failure message="m"/></testcase></testsuites>\nafter'),
    'before\n\n\nm\n\n\nafter',
  )
  for (const text of [
    '<a><failure message="x"/></a>',
    '<testsuites><testcase/></testsuites>',
    'plain',
    '<testsuite><testcase><failure message="cut',
  ]) {
    t.equal(fromXmlReport(text), text)
  }
})

test('no control character comes in as an entity', async t => {
  t.notMatch(
    JSON.stringify(
      parseStackTrace(
        '<testsuite><testcase><failure message="&#1;event 0 src/a.ts:3&#x110000;"/></testcase></testsuite>',
      ),
    ),
    /\\u0001/,
  )
})

test('it never throws, and ends in time on tags that never close', async t => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '<testsuite>',
          '<failure ',
          'message="',
          '">',
          "'",
          '<![CDATA[',
          ']]>',
          '</failure>',
          '<message>',
          '</message>',
          '&#xD800;',
          '/>',
          'x ',
        ),
      ),
      parts => {
        fromXmlReport(parts.join(''))
      },
    ),
    { numRuns: runs(300) },
  )
  for (const unit of [
    '<testcase><failure>',
    '<failure message="',
    '<testsuite><failure/>',
    '<message>',
    '<failure a="">',
    '<testcase ',
    ' a="b"',
  ]) {
    fromXmlReport(`<testsuite>${unit.repeat(100_000)}`)
  }
  t.pass('all of them ended')
})
