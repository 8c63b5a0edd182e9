import fc from 'fast-check'
import { test } from 'tap'
import { joinReports, readOutput, readReportFile } from '../../../src/test-runners/reports/read-report.ts'
import type { TestReport } from '../../../src/test-runners/reports/test-report.ts'
import { runs, scaled } from '../../helpers/property-runs.ts'

const outcomes = (report: TestReport | null) =>
  report === null ? null : Object.fromEntries(report.tests.map(({ id, status }) => [id, status]))
const messages = (report: TestReport | null) =>
  Object.fromEntries((report?.tests ?? []).flatMap(({ id, message }) => (message === undefined ? [] : [[id, message]])))
const printed = (stdout: string, stderr = '', isCut = false) => readOutput({ stdout, stderr, isCut })

const PYTEST =
  '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="2" tests="3">' +
  '<testcase classname="test_x.T" name="test_a" time="0.000" /><testcase classname="test_x.T" name="test_b">' +
  '<failure message="ZeroDivisionError: division by zero">self = &lt;test_x.T&gt;</failure></testcase>' +
  '<testcase classname="test_x" name="test_c"><failure>assert 1 == 2</failure></testcase>' +
  '<testcase classname="test_x" name="test_d"><skipped type="pytest.skip" message="later"/></testcase>' +
  '</testsuite></testsuites>'
const NODE = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
\t<testsuite name="cart" time="0.1" disabled="0" errors="0" tests="2" failures="1" skipped="0" hostname="vm">
\t\t<testcase name="adds" time="0.01" classname="test" file="/workspace/test/cart.test.js"/>
\t\t<testcase name="throws &lt;b&gt;" classname="test" file="/workspace/test/cart.test.js" failure="x">
\t\t\t<failure type="testCodeFailure" message="x is null">
[Error: x is null]
\t\t\t</failure>
\t\t</testcase>
\t</testsuite>
\t<!-- tests 2 -->
</testsuites>`

test('JUnit XML of pytest and of node --test is read, with what failed', async t => {
  const pytest = readReportFile(PYTEST)
  t.same(outcomes(pytest), {
    'test_x.T > test_a': 'passed',
    'test_x.T > test_b': 'failed',
    'test_x > test_c': 'failed',
    'test_x > test_d': 'skipped',
  })
  t.equal(pytest?.ran, 3)
  t.same(messages(pytest), {
    'test_x.T > test_b': 'ZeroDivisionError: division by zero',
    'test_x > test_c': 'assert 1 == 2',
  })
  t.same(outcomes(readReportFile(NODE)), {
    'test/cart.test.js > cart > adds': 'passed',
    'test/cart.test.js > cart > throws <b>': 'failed',
  })
})

test('a report that is cut off, or no report, says nothing', async t => {
  for (const text of [PYTEST.slice(0, -20), '<html></html>', '<?xml version="1.0"?><a/>', '', 'ok', '{}', '[1]']) {
    t.equal(readReportFile(text), null, text.slice(0, 40))
  }
})

test('entities of a report are not expanded, and no file is read for it', async t => {
  const bomb =
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;">' +
    '<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite name="s"><testcase name="&c;&f;"/></testsuite>'
  t.notMatch(JSON.stringify(readReportFile(bomb)), /bbbb|root:/)
  // quadratic work would run into the limit of the file
  readReportFile(`<testsuite>${'<a>'.repeat(scaled(500_000))}`)
  readReportFile(`<testsuites>${'<testsuite name="x">'.repeat(scaled(200_000))}`)
})

test('TAP is read with its subtests: of a suite its tests count', async t => {
  const node = [
    'TAP version 13',
    '# Subtest: cart',
    '    # Subtest: adds',
    '    ok 1 - adds',
    '      ---',
    '      duration_ms: 0.5',
    '      ...',
    '    # Subtest: later',
    '    ok 2 - later # SKIP',
    '    # Subtest: throws \\# 1',
    '    not ok 3 - throws \\# 1',
    '      ---',
    "      error: 'x is null'",
    '      stack: |-',
    '        not ok 9 - no test',
    '      ...',
    '    1..3',
    'not ok 1 - cart',
    '  ---',
    "  error: '1 subtest failed'",
    '  ...',
    'not ok 2 - todo yet # TODO',
    '1..2',
  ].join('\n')
  const report = printed(node)
  t.same(outcomes(report), {
    'cart > adds': 'passed',
    'cart > later': 'skipped',
    'cart > throws # 1': 'failed',
    'todo yet': 'skipped',
  })
  t.same(messages(report), { 'cart > throws # 1': 'x is null' })
  const braces = 'TAP version 13\nok 1 - outer # time=1ms {\n    ok 1 - inner\n    1..1\n}\n\nnot ok 2 - alone\n1..2\n'
  t.same(outcomes(printed(braces)), { 'outer > inner': 'passed', alone: 'failed' })
  const hook = 'TAP version 14\n    ok 1 - fine\n    1..1\nnot ok 1 - a suite whose hook failed\n1..1\n'
  t.match(outcomes(printed(hook)), { 'a suite whose hook failed': 'failed' })
})

test('events of go test are read: of a test with subtests those, of a package that does not compile itself', async t => {
  const event = (fields: object) => JSON.stringify({ Time: '2026-01-01T00:00:00Z', ...fields })
  const lines = [
    event({ Action: 'run', Package: 'x/shop', Test: 'TestSum' }),
    event({ Action: 'output', Package: 'x/shop', Test: 'TestSum/empty', Output: '    sum_test.go:9: got 1\n' }),
    event({ Action: 'output', Package: 'x/shop', Test: 'TestSum/empty', Output: '    --- FAIL: TestSum/empty\n' }),
    event({ Action: 'fail', Package: 'x/shop', Test: 'TestSum/empty', Elapsed: 0 }),
    event({ Action: 'pass', Package: 'x/shop', Test: 'TestSum/one' }),
    event({ Action: 'fail', Package: 'x/shop', Test: 'TestSum' }),
    event({ Action: 'skip', Package: 'x/shop', Test: 'TestSlow' }),
    event({ Action: 'fail', Package: 'x/shop' }),
    event({ Action: 'output', Package: 'x/bad', Output: 'bad.go:1:1: syntax error\n' }),
    event({ Action: 'fail', Package: 'x/bad' }),
    'no event',
  ]
  const report = printed(lines.join('\n'))
  t.same(outcomes(report), {
    'x/shop > TestSum/empty': 'failed',
    'x/shop > TestSum/one': 'passed',
    'x/shop > TestSlow': 'skipped',
    'x/bad': 'failed',
  })
  t.match(messages(report), { 'x/shop > TestSum/empty': 'sum_test.go:9: got 1', 'x/bad': /syntax error/ })
})

test('the JSON of jest and rspec is read', async t => {
  const jest = {
    testResults: [
      {
        name: '/workspace/a.test.js',
        status: 'failed',
        assertionResults: [
          { ancestorTitles: ['cart'], title: 'adds', status: 'passed' },
          { ancestorTitles: ['cart'], title: 'throws', status: 'failed', failureMessages: ['Error: x'] },
          { ancestorTitles: [], title: 'later', status: 'pending' },
        ],
      },
      { name: '/workspace/b.test.js', status: 'failed', message: 'Cannot find module', assertionResults: [] },
    ],
  }
  t.same(outcomes(readReportFile(JSON.stringify(jest))), {
    'a.test.js > cart > adds': 'passed',
    'a.test.js > cart > throws': 'failed',
    'a.test.js > later': 'skipped',
    'b.test.js': 'failed',
  })
  const examples = [
    { file_path: './spec/a_spec.rb', full_description: 'Cart adds', status: 'passed' },
    { file_path: './spec/a_spec.rb', full_description: 'Cart x', status: 'failed', exception: { message: 'boom' } },
  ]
  t.same(outcomes(readReportFile(JSON.stringify({ examples }))), {
    'spec/a_spec.rb > Cart adds': 'passed',
    'spec/a_spec.rb > Cart x': 'failed',
  })
})

test("a runner's own words are read where its last line is there", async t => {
  const pytest =
    '=== short test summary info ===\nFAILED test_x.py::T::test_b - ZeroDivisionError: no\nERROR test_y.py\n' +
    '2 failed, 1 passed, 3 skipped in 0.02s\n'
  t.same(printed(pytest), {
    tests: [
      { id: 'test_x.py > T > test_b', status: 'failed', message: 'ZeroDivisionError: no' },
      { id: 'test_y.py', status: 'failed' },
    ],
    listsPassed: false,
    ran: 3,
  })
  t.equal(printed(pytest.slice(0, -30)), null, 'a run that was killed says nothing for certain')
  const unittest =
    '.E\nERROR: test_b (test_x.T.test_b)\n---\nFAIL: test_c (test_x.T)\n---\nRan 3 tests in 0.1s\n\nFAILED (errors=1)\n'
  t.same(outcomes(printed('', unittest)), { 'test_x.T > test_b': 'failed', 'test_x.T > test_c': 'failed' })
  t.equal(printed('', '...\nRan 3 tests in 0.1s\n\nOK\n')?.ran, 3)
  const jest = '  ● cart › throws\n\n    x\n\nTests:       1 failed, 2 passed, 3 total\n'
  t.same(outcomes(printed('', jest)), { 'cart > throws': 'failed' })
  const cargo =
    'test a::adds ... ok\ntest a::throws ... FAILED\ntest b ... ignored\n\n' +
    'test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured\n'
  t.same(printed(cargo)?.tests, [
    { id: 'a::adds', status: 'passed' },
    { id: 'a::throws', status: 'failed' },
    { id: 'b', status: 'skipped' },
  ])
  t.equal(printed('all is well\n'), null)
})

test('of an output that was cut, nobody knows which tests passed', async t => {
  const report = printed('TAP version 13\nok 1 - a\n\n[500 bytes left out]\nnot ok 9 - b\n1..9\n', '', true)
  t.match(report, { listsPassed: false, ran: null })
  t.match(printed('TAP version 13\nok 1 - a\n[500 bytes left out]\n1..1\n'), { listsPassed: true, ran: 1 })
})

test('the JSON that jest or rspec print among other lines is read', async t => {
  const results = [
    { name: '/workspace/a.test.js', assertionResults: [{ ancestorTitles: [], title: 'x', status: 'passed' }] },
  ]
  const jest = JSON.stringify({ success: true, testResults: results })
  t.same(printed(`> shop@1.0.0 test\n> jest --json\n\n${jest}\nDone.\n`), {
    tests: [{ id: 'a.test.js > x', status: 'passed' }],
    listsPassed: true,
    ran: 1,
  })
  const rspec = JSON.stringify({
    version: '3',
    examples: [{ file_path: './a_spec.rb', full_description: 'x', status: 'failed' }],
  })
  t.same(outcomes(printed(`${rspec}\n`)), { 'a_spec.rb > x': 'failed' })
  t.equal(printed('{"level":"info","examples":[]}\n'), null, 'a log line of the program is no report')
  t.equal(printed(`${jest.slice(0, -5)}\n`), null, 'half of a report is none')
})

test('files of classes are one report; a test that is listed twice failed when one of them did', async t => {
  const one = readReportFile('<testsuite name="A"><testcase classname="A" name="x"/></testsuite>')
  const two = readReportFile('<testsuite name="A"><testcase classname="A" name="x"><error/></testcase></testsuite>')
  t.equal(joinReports([]), null)
  if (one === null || two === null) throw new Error('both are reports')
  t.same(outcomes(joinReports([one, two])), { 'A > x': 'failed' })
  t.same(outcomes(joinReports([two, one])), { 'A > x': 'failed' })
})

const escaped = (text: string): string => text.replace(/[&<>"'\n\t]/g, character => `&#${character.charCodeAt(0)};`)
const name = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }).filter(text => /\w/.test(text))
const results = fc.uniqueArray(fc.record({ name, failed: fc.boolean() }), {
  selector: one => one.name.replace(/\s+/g, ' ').trim(),
  minLength: 1,
  maxLength: 8,
})

test('what is written as JUnit XML is read as it was', async t => {
  const property = fc.property(results, tests => {
    const cases = tests.map(
      one => `<testcase classname="C" name="n ${escaped(one.name)}">${one.failed ? '<failure/>' : ''}</testcase>`,
    )
    const report = readReportFile(`<testsuites><testsuite name="s">${cases.join('')}</testsuite></testsuites>`)
    return (
      report?.tests.length === tests.length &&
      tests.every(({ failed }, index) => report.tests[index]?.status === (failed ? 'failed' : 'passed'))
    )
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(500) }))
})

test('what is written as TAP is read as it was', async t => {
  const property = fc.property(results, tests => {
    const points = tests.map(
      (one, index) =>
        `${one.failed ? 'not ' : ''}ok ${index + 1} - n ${one.name.replace(/[\\{]/g, '').replaceAll('#', '\\#')}`,
    )
    const report = printed(['TAP version 14', ...points, `1..${tests.length}`].join('\n'))
    const failed = tests.filter(one => one.failed).length
    const readFailed = report?.tests.filter(({ status }) => status === 'failed').length ?? -1
    return readFailed <= failed && (failed === 0 || readFailed > 0)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(500) }))
})

test('no text breaks a reader, and none takes long', async t => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...['<testsuite>', '<testcase name="a">', '</testcase>', '<failure>', ']]>', '&x;', '<![CDATA[', 'ok 1 - a\n'],
      ...['not ok', '    ok 2\n', '  ---\n', '  ...\n', '}\n', '{"Action":"fail","Test":"A"}\n', '1..3\n', ' {\n'],
      ...['TAP version 13\n', '=== short test summary info ===\n', '1 failed in 0.1s\n', 'FAILED ', 'Ran 1 test in 1'],
    ),
    fc.string({ unit: 'binary', maxLength: 10 }),
  )
  const property = fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
    const text = pieces.join('')
    for (const report of [readReportFile(text), printed(text), printed('', text)]) {
      for (const { id } of report?.tests ?? []) {
        // eslint-disable-next-line no-control-regex -- none may reach a terminal
        if (id === '' || id.length > 500 || /[\u0000-\u001F\u007F]/.test(id)) return false
      }
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(2_000) }))
  for (const long of [
    ' ',
    '=',
    '1 ',
    '# ',
    'ok ',
    '\\#',
    'test a ... ',
    '{"',
    '    ok 1 {\n',
    'FAILED a::',
    '1 failed, ',
  ]) {
    const started = performance.now()
    printed(`TAP version 13\n${long.repeat(scaled(1_000_000) / long.length)}`)
    printed(long.repeat(scaled(1_000_000) / long.length))
    t.ok(performance.now() - started < scaled(10_000), JSON.stringify(long))
  }
})
