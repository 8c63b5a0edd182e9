import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { test } from 'tap'
import { namedTest, type TracePlace } from '../../src/test-runners/named-test.ts'
import { narrowCommand } from '../../src/test-runners/narrow-command.ts'
import { readTestCommand, type Runner } from '../../src/test-runners/test-command.ts'
import { runs } from '../helpers/property-runs.ts'

const FILES: Record<string, string> = {
  'tests/test_cart.py':
    'class CartTest(TestCase):\n    def test_sum(self):\n        pass\n\n\ndef test_alone():\n    pass\n',
  'test/cart.test.js': "describe('cart', () => { it('adds (twice)', () => {}); it(\"it's $HOME\", () => {}) })\n",
  'shop/cart_test.go': 'package shop\nfunc TestSum(t *testing.T) {}\n',
  'src/lib.rs': 'mod tests { fn adds() {} }\n',
  'spec/cart_spec.rb': "it 'adds' do\nend\n",
  'tests/CartTest.php': '<?php class CartTest { function testSum() {} }\n',
  'app/src/test/java/x/CartTest.java': 'class CartTest { void sums() {} }\n',
  'src/cart.py': '',
}
const commit = {
  paths: async () => Object.keys(FILES),
  read: async (path: string) => FILES[path] ?? null,
}
const at = (path: string, of: string | null = null, line: number | null = null): TracePlace => ({
  path,
  function: of,
  line,
})

async function narrow(command: string, text: string, places: TracePlace[] = []): Promise<string | null> {
  const known = readTestCommand(command, new Map([['test', 'jest --coverage --config jest.js test']]))
  if (known === null) throw new Error('no runner')
  const named = await namedTest({ text, places }, known.runner, commit)
  return named === null ? null : narrowCommand(known, named)
}

test('the failing test that a trace names is run alone', async t => {
  for (const [command, text, expected] of [
    [
      'python3 -m pytest -q tests',
      'FAILED tests/test_cart.py::CartTest::test_sum - no',
      'python3 -m pytest -q tests/test_cart.py::CartTest::test_sum',
    ],
    ['pytest -k x', 'FAILED tests/test_cart.py::test_alone[1-a] - no', 'pytest tests/test_cart.py::test_alone'],
    [
      'python3 -m unittest',
      'ERROR: test_sum (tests.test_cart.CartTest.test_sum)',
      'python3 -m unittest tests.test_cart.CartTest.test_sum',
    ],
    [
      'python3 -m unittest',
      'ERROR: test_sum (tests.test_cart.CartTest)',
      'python3 -m unittest tests.test_cart.CartTest.test_sum',
    ],
    ['cargo test --all', 'test tests::adds ... FAILED', 'cargo test --all -- --exact tests::adds'],
    ['go test ./...', '--- FAIL: TestAny (0.00s)', "go test -run '^TestAny$' -count=1 ./..."],
  ] as const) {
    t.equal(await narrow(command, text), expected, text)
  }
  const inJs = [at('test/cart.test.js', null, 1)]
  t.equal(
    await narrow('npm test', '  ● cart › adds (twice)', inJs),
    "./node_modules/.bin/jest --config jest.js -t '^cart adds \\(twice\\)$' --runTestsByPath test/cart.test.js",
  )
  t.equal(
    await narrow('npx vitest', ' FAIL  test/cart.test.js > cart > adds (twice)'),
    "npx vitest test/cart.test.js -t '^cart adds \\(twice\\)$'",
  )
  t.equal(
    await narrow('node --import tsx --test test/', "✖ it's $HOME (1.2ms)", inJs),
    "node --import tsx --test '--test-name-pattern=it'\\''s \\$HOME' test/cart.test.js",
  )
  t.equal(
    await narrow('mocha -r x.js', '    adds (twice):', inJs),
    "mocha -r x.js --grep 'adds \\(twice\\)' test/cart.test.js",
  )
  t.equal(
    await narrow('go test ./...', '--- FAIL: TestSum (0.00s)', [at('shop/cart_test.go')]),
    "go test -run '^TestSum$' -count=1 ./shop/",
  )
  t.equal(await narrow('rspec', 'rspec ./spec/cart_spec.rb:12 # adds'), 'rspec spec/cart_spec.rb:12')
  t.equal(await narrow('phpunit', '1) Tests\\CartTest::testSum'), "phpunit --filter '::testSum$' tests/CartTest.php")
  t.equal(
    await narrow('./mvnw -q test', '[ERROR]   CartTest.sums:12 expected'),
    "./mvnw -q test '-Dtest=CartTest#sums' -Dsurefire.failIfNoSpecifiedTests=false",
  )
  t.equal(await narrow('gradle test', 'CartTest > sums() FAILED'), "gradle test --tests '*CartTest.sums'")
})

test('without such words the innermost frame in a file of tests counts', async t => {
  const python = [at('tests/test_cart.py', 'test_sum', 3), at('src/cart.py', 'sum_of', 1)]
  t.equal(await narrow('pytest', 'Traceback', python), 'pytest tests/test_cart.py::CartTest::test_sum')
  t.equal(
    await narrow('python3 -m unittest', '', [at('tests/test_cart.py', 'test_alone', 6)]),
    'python3 -m unittest tests.test_cart.test_alone',
  )
  t.equal(await narrow('tap', '', [at('test/cart.test.js', 'Test.<anonymous>', 1)]), 'tap test/cart.test.js')
  t.equal(
    await narrow('go test', '', [at('shop/cart_test.go', 'shop.TestSum', 2)]),
    "go test -run '^TestSum$' -count=1 ./shop/",
  )
  t.equal(
    await narrow('mvn test', '', [at('app/src/test/java/x/CartTest.java', 'x.CartTest.sums', 1)]),
    "mvn test '-Dtest=CartTest#sums' -Dsurefire.failIfNoSpecifiedTests=false",
  )
  t.equal(await narrow('pytest', 'Traceback', [at('src/cart.py', 'test_sum', 1)]), null, 'a frame in no test')
})

test('what the commit does not have is no argument', async t => {
  for (const text of [
    'FAILED tests/test_gone.py::test_x - no',
    'FAILED ../../etc/passwd::test_x - no',
    'FAILED -c::test_x - no',
    'FAILED tests/test_cart.py::$(id) - no',
  ]) {
    t.equal(await narrow('pytest', text), null, text)
  }
  t.equal(
    await narrow('npm test', '  ● cart › $(id)', [at('test/cart.test.js')]),
    './node_modules/.bin/jest --config jest.js --runTestsByPath test/cart.test.js',
  )
})

const RUNNERS: Record<Runner, string> = {
  ...{ pytest: 'pytest', unittest: 'python3 -m unittest', jest: 'jest', vitest: 'vitest', mocha: 'mocha' },
  ...{ node: 'node --test', tap: 'tap', go: 'go test', cargo: 'cargo test', rspec: 'rspec' },
  ...{ phpunit: 'phpunit', maven: 'mvn test', gradle: 'gradle test' },
}
const EVIL = fc.constantFrom(
  ...[
    "'",
    '"',
    '`',
    '$(touch evil)',
    ';touch evil;',
    '\n',
    '&& touch evil',
    '|',
    '>evil',
    '\\',
    '--',
    '-c',
    ' ',
    '#',
    '*',
  ],
  ...['$' + '{IFS}', '!', '\0', '\u2028', 'ä', '%s', '::', ' > ', ' › ', 'test_x', '../'],
)

test('no trace puts a command into the shell: its words are the same arguments', async t => {
  const hostile = fc.array(fc.oneof(EVIL, fc.string({ maxLength: 5 })), { maxLength: 6 }).map(parts => parts.join(''))
  const cases: Array<{ command: string; runner: string }> = []
  const property = fc.asyncProperty(
    hostile,
    hostile,
    fc.constantFrom(...(Object.keys(RUNNERS) as Runner[])),
    async (name, folder, runner) => {
      const file = `tests/${folder}/test_a.py`
      const texts: Record<string, string> = { [file]: `${name} def test_a(` }
      const texts2 = { paths: async () => [file], read: async (path: string) => texts[path] ?? null }
      const known = readTestCommand(RUNNERS[runner], new Map())
      if (known === null) return
      for (const saying of [
        `FAILED ${file}::${name}`,
        `  ● ${name}`,
        ` FAIL  ${file} > ${name}`,
        `✖ ${name}`,
        `    ${name}:`,
        `rspec ${file}:12`,
        `--- FAIL: Test${name}`,
        `1) test_a::${name}`,
        `[ERROR]  test_a.${name} -- Time`,
        '',
      ]) {
        const named = await namedTest({ text: saying, places: [at(file, name, 1)] }, runner, texts2)
        const command = named === null ? null : narrowCommand(known, named)
        if (command?.includes('\0') === true) throw new Error('a NUL')
        if (command !== null) cases.push({ command, runner })
      }
    },
  )
  await fc.assert(property, { numRuns: runs(1_000) })
  t.ok(cases.length > 100)
  // A shell that can run nothing but these functions, and says how often they were called, and with what.
  const programs = ['pytest', 'python3', 'jest', 'vitest', 'mocha', 'node', 'tap', 'go', 'cargo', 'rspec', 'phpunit']
  const functions = [...programs, 'mvn', 'gradle'].map(name => `${name}() { printf 'CALLED\\n'; }`)
  const script = `PATH=/nowhere\n${functions.join('\n')}\n${cases.map(({ command }) => command).join('\n')}\n`
  const printed = execFileSync('/bin/bash', [], { input: script, cwd: '/' }).toString()
  t.equal(printed, 'CALLED\n'.repeat(cases.length))
})

test('values of options stay with them, and options of reports go with theirs', async t => {
  for (const [command, text, places, expected] of [
    [
      'pytest -n 4 --tb short tests',
      'FAILED tests/test_cart.py::test_alone',
      [],
      'pytest -n 4 --tb short tests/test_cart.py::test_alone',
    ],
    [
      'go test -timeout 30s -race ./...',
      '--- FAIL: TestAny (0.00s)',
      [],
      "go test -timeout 30s -race -run '^TestAny$' -count=1 ./...",
    ],
    [
      'mocha --reporter xunit --reporter-option output=x.xml --timeout 5000 test',
      '    adds (twice):',
      [at('test/cart.test.js')],
      "mocha --timeout 5000 --grep 'adds \\(twice\\)' test/cart.test.js",
    ],
    [
      'vitest run --reporter=default --outputFile.junit=x.xml',
      ' FAIL  test/cart.test.js > cart > adds (twice)',
      [],
      "vitest run test/cart.test.js -t '^cart adds \\(twice\\)$'",
    ],
    [
      'phpunit --log-junit x.xml --testsuite unit',
      '1) CartTest::testSum',
      [],
      "phpunit --filter '::testSum$' tests/CartTest.php",
    ],
    ['rspec --format progress', 'rspec ./spec/cart_spec.rb:1 # x', [], 'rspec spec/cart_spec.rb:1'],
  ] as const) {
    t.equal(await narrow(command, text, [...places]), expected, command)
  }
})
